"""Results of a project: report, plan, export, import, demonstration."""
