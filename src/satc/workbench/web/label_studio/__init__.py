"""Routes for Label Studio: each project is a model in the protocol of its ML backends.

* `access`: the keys in the addresses that Label Studio is given.
* `routes`: health, setup, predict and webhook.
"""
