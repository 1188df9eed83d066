"""What a project gives to people: report, plan, export, import, demonstration."""
