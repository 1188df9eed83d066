"""Random faults: people work over HTTP while servers are killed, disks fill and clocks jump.

A schedule follows from a seed, so a run can be repeated. People note what the server acknowledged,
and the checks compare that with the log: nothing is lost, nothing counts twice.
"""
