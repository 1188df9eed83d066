"""The figures of the paper, as data (its Tables 1 to 5 and Section 6.6.1).

Berardi, Esuli, Sebastiani: Utility-Theoretic Ranking for Semi-Automated Text Classification.
"""

from __future__ import annotations

from typing import NamedTuple

LEARNERS = ("mpboost", "svm")
XIS = (0.05, 0.10, 0.20)
METHODS = (
    "baseline",
    "u-theoretic",
    "u-theoretic-dynamic",
    "oracle1",
    "oracle1-dynamic",
    "oracle2",
    "oracle2-dynamic",
)
DATASETS = ("reuters21578", "reuters21578/10", "reuters21578/100", "ohsumed", "ohsumed-s")


class Characteristics(NamedTuple):
    """A row of Table 1; errors are those of MP-Boost and of the SVM."""

    n_tests: int
    n_train: int
    n_test: int
    n_classes: int
    labels_per_document: float
    macro_error: tuple[float, float]
    micro_error: tuple[float, float]


CHARACTERISTICS = {
    "reuters21578": Characteristics(1, 9603, 3299, 115, 1.135, (0.392, 0.473), (0.152, 0.140)),
    "reuters21578/10": Characteristics(10, 9603, 330, 115, 1.135, (0.194, 0.199), (0.151, 0.130)),
    "reuters21578/100": Characteristics(100, 9603, 33, 115, 1.135, (0.050, 0.049), (0.149, 0.140)),
    "ohsumed": Characteristics(1, 183229, 50216, 97, 0.132, (0.553, 0.577), (0.389, 0.324)),
    "ohsumed-s": Characteristics(1, 12358, 3584, 97, 1.851, (0.520, 0.522), (0.286, 0.244)),
}

SIGMA = {("reuters21578", "mpboost"): 0.554, ("reuters21578", "svm"): 7.096}

# Dataset, method, then xi = .05, .10, .20 with MP-Boost and the same with SVMs (Table 2).
_ENER_MACRO = """\
reuters21578     baseline            .071 .108 .152 .262 .352 .420
reuters21578     u-theoretic         .163 .226 .280 .442 .531 .562
reuters21578     u-theoretic-dynamic .160 .224 .279 .431 .523 .557
reuters21578     oracle1             .155 .222 .280 .477 .563 .586
reuters21578     oracle1-dynamic     .152 .219 .275 .476 .567 .592
reuters21578     oracle2             .693 .738 .707 .719 .760 .723
reuters21578     oracle2-dynamic     .677 .725 .699 .723 .763 .724
reuters21578/10  baseline            .063 .097 .135 .243 .322 .383
reuters21578/10  u-theoretic         .145 .203 .245 .330 .415 .465
reuters21578/10  u-theoretic-dynamic .139 .198 .239 .335 .420 .470
reuters21578/10  oracle1             .159 .205 .243 .392 .482 .522
reuters21578/10  oracle1-dynamic     .158 .212 .255 .394 .488 .531
reuters21578/10  oracle2             .555 .643 .648 .596 .676 .672
reuters21578/10  oracle2-dynamic     .558 .648 .654 .599 .679 .675
reuters21578/100 baseline            .069 .121 .164 .226 .302 .364
reuters21578/100 u-theoretic         .118 .172 .215 .291 .365 .416
reuters21578/100 u-theoretic-dynamic .119 .176 .217 .289 .367 .419
reuters21578/100 oracle1             .192 .247 .281 .318 .422 .479
reuters21578/100 oracle1-dynamic     .197 .266 .318 .318 .427 .489
reuters21578/100 oracle2             .429 .537 .575 .458 .568 .600
reuters21578/100 oracle2-dynamic     .429 .537 .576 .458 .569 .601
ohsumed           baseline            .385 .479 .512 .526 .630 .644
ohsumed           u-theoretic         .442 .529 .549 .623 .685 .666
ohsumed           u-theoretic-dynamic .443 .531 .550 .618 .676 .655
ohsumed           oracle1             .445 .530 .549 .639 .687 .657
ohsumed           oracle1-dynamic     .449 .532 .550 .617 .659 .636
ohsumed           oracle2             .838 .839 .769 .864 .854 .778
ohsumed           oracle2-dynamic     .758 .762 .700 .795 .787 .721
ohsumed-s         baseline            .021 .025 .026 .075 .124 .164
ohsumed-s         u-theoretic         .087 .118 .132 .212 .282 .323
ohsumed-s         u-theoretic-dynamic .088 .118 .132 .210 .280 .321
ohsumed-s         oracle1             .091 .117 .125 .272 .334 .352
ohsumed-s         oracle1-dynamic     .094 .119 .128 .301 .363 .380
ohsumed-s         oracle2             .481 .554 .572 .511 .589 .603
ohsumed-s         oracle2-dynamic     .450 .498 .496 .487 .540 .536
"""

# The same for micro-averaging (Table 5).
_ENER_MICRO = """\
reuters21578     baseline            .107 .167 .222 .240 .325 .389
reuters21578     u-theoretic         .107 .168 .224 .246 .332 .395
reuters21578     u-theoretic-dynamic .107 .167 .224 .246 .331 .394
reuters21578     oracle1             .107 .168 .224 .246 .332 .395
reuters21578     oracle1-dynamic     .107 .167 .224 .246 .331 .395
reuters21578     oracle2             .333 .448 .512 .394 .506 .556
reuters21578     oracle2-dynamic     .333 .448 .512 .394 .506 .556
reuters21578/10  baseline            .110 .169 .222 .232 .317 .380
reuters21578/10  u-theoretic         .112 .171 .224 .237 .323 .386
reuters21578/10  u-theoretic-dynamic .113 .171 .224 .238 .322 .383
reuters21578/10  oracle1             .112 .171 .224 .237 .324 .386
reuters21578/10  oracle1-dynamic     .113 .171 .224 .238 .324 .386
reuters21578/10  oracle2             .325 .438 .502 .385 .496 .547
reuters21578/10  oracle2-dynamic     .325 .438 .502 .385 .496 .547
reuters21578/100 baseline            .102 .158 .208 .223 .301 .361
reuters21578/100 u-theoretic         .107 .163 .212 .224 .305 .366
reuters21578/100 u-theoretic-dynamic .106 .162 .211 .226 .304 .363
reuters21578/100 oracle1             .115 .170 .216 .232 .317 .377
reuters21578/100 oracle1-dynamic     .116 .170 .217 .235 .322 .383
reuters21578/100 oracle2             .318 .429 .492 .367 .481 .534
reuters21578/100 oracle2-dynamic     .318 .429 .492 .367 .481 .534
ohsumed           baseline            .442 .552 .583 .492 .600 .620
ohsumed           u-theoretic         .440 .549 .580 .496 .602 .621
ohsumed           u-theoretic-dynamic .442 .552 .582 .496 .602 .621
ohsumed           oracle1             .439 .549 .580 .497 .602 .621
ohsumed           oracle1-dynamic     .441 .551 .582 .497 .603 .621
ohsumed           oracle2             .660 .733 .711 .704 .761 .727
ohsumed           oracle2-dynamic     .660 .733 .711 .704 .761 .727
ohsumed-s         baseline            .044 .068 .094 .058 .096 .136
ohsumed-s         u-theoretic         .044 .069 .096 .063 .102 .143
ohsumed-s         u-theoretic-dynamic .044 .070 .097 .066 .104 .144
ohsumed-s         oracle1             .044 .069 .096 .064 .103 .143
ohsumed-s         oracle1-dynamic     .044 .070 .097 .066 .105 .144
ohsumed-s         oracle2             .149 .221 .287 .175 .259 .330
ohsumed-s         oracle2-dynamic     .149 .221 .287 .175 .259 .330
"""

# Dataset, then seconds of U-Theoretic(s) and (d) with MP-Boost and with SVMs (Table 4).
_SECONDS = """\
reuters21578     0.426 3.128 0.452 3.021
reuters21578/10  0.166 0.195 0.153 0.198
reuters21578/100 0.033 0.046 0.033 0.044
ohsumed          10.282 500.047 11.251 577.864
ohsumed-s        0.418 4.731 0.424 4.195
"""

# Whether two methods differ at the 5% level, for the five datasets in turn (Table 3, above the
# diagonal; the methods in the order of METHODS).
_SIGNIFICANT = {
    "mpboost": """\
YYYYY YYYYY YYYYY YYYYY YYYYY YYYYY
NYNNN NNYNN YNYNN YYYYY YYYYY
NNYNN NNYNN YYYYY YYYYY
NNYNN YYYYY YYYYY
YYYYY YYYYY
NNNYN
""",
    "svm": """\
YYYYY YYYYY YYYYY YYYYY YYYYY YYYYY
YNNYN YYYNY YYYNY YYYYY YYYYY
YYYNY YYYNY YYYYY YYYYY
NNYNY YYYYY YYYYY
YYYYY YYYYY
YYNNN
""",
}


def _figures(text: str) -> dict[tuple[str, str, str, float], float]:
    """Return the figures by (dataset, learner, method, xi)."""
    figures = {}
    for line in text.splitlines():
        dataset, method, *values = line.split()
        columns = [(learner, xi) for learner in LEARNERS for xi in XIS]
        for (learner, xi), value in zip(columns, values, strict=True):
            figures[dataset, learner, method, xi] = float(value)
    return figures


ENER = {"macro": _figures(_ENER_MACRO), "micro": _figures(_ENER_MICRO)}

SECONDS = {
    (dataset, learner, method): float(value)
    for dataset, *values in (line.split() for line in _SECONDS.splitlines())
    for (learner, method), value in zip(
        [(learner, method) for learner in LEARNERS for method in METHODS[1:3]], values, strict=True
    )
}

SIGNIFICANT = {
    (dataset, learner, METHODS[i], METHODS[i + 1 + k]): cell[d] == "Y"
    for learner, text in _SIGNIFICANT.items()
    for i, line in enumerate(text.splitlines())
    for k, cell in enumerate(line.split())
    for d, dataset in enumerate(DATASETS)
}
