"""The certificate: lower bounds on the accuracy of the labels, from a random audit.

No model is needed. People validate some documents in any order, and others that the audit draws at
random; the errors found in the audited documents bound the errors in the unread ones.

* `audit`: draws the documents to audit, and checks decision logs.
* `betting`: an upper bound on a total from a random sample, valid at any time.
* `found_errors`: the errors in a decision log, and a bound on the errors that are left.
* `micro_bound`, `macro_bound`: from a bound on errors to a bound on a measure.
* `measure_bounds`: the bounds of all measures of multi-label data.
* `single_label`: accuracy and bounds of each class, where every document has exactly one label.
* `certificate`: `certify` puts these together.
* `serialisation`, `page`: a certificate as JSON and as HTML.
"""
