"""Live accuracy: an estimate with an interval, a drift alarm, and a plan of the work left."""
