"""The ranking of a validation in progress: which document is the best one now.

A static ranking (`static`) is an order that corrections do not change. In a dynamic one
(`dynamic`, Section 7), each correction changes the contingency tables (`table_updates`) and with
them the gains and the order of the documents that are left.
"""
