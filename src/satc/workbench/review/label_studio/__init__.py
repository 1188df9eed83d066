"""A project as a model for Label Studio, in the protocol of its ML backends.

Label Studio asks for predictions of its tasks, and sends the annotations that people make there.

* `control`: where the labels are in a labelling configuration.
* `tasks`: which document of the project a task is.
* `order`: the score by which Label Studio sorts its tasks.
* `annotations`: annotations become decisions of the project.
* `guest`: these together, for one open project.
"""
