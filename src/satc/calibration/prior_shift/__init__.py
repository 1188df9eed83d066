"""Prior shift: the classes of new documents may be more or less frequent than in training.

Calibrated probabilities hold for the class frequencies of the training documents. The frequencies
of the documents at hand are estimated from these probabilities alone (Saerens, Latinne,
Decaestecker 2002: *Adjusting the outputs of a classifier to new a priori probabilities*; known as
SLD, EM or EMQ), and Bayes' rule corrects the probabilities.
"""
