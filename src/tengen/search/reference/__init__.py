"""The naive search: docs/search.md as a student would write it down, one tree, Python floats, no tricks.

It is here to be read, and to be compared: the C++ search gives the same numbers to the last bit
(tests/search/test_parity.py). Read formulas.py, bounds.py, tree.py, probe.py, simulate.py, root.py in this order.
Section numbers in comments are those of docs/search.md; the order of operations is its order too, which is why some
brackets look redundant.
"""

from tengen.search.reference.probe import Probe, RuleProbe
from tengen.search.reference.simulate import Output, ReferenceSearch
from tengen.search.reference.tree import Edge, Leaf, Node

__all__ = ["Edge", "Leaf", "Node", "Output", "Probe", "ReferenceSearch", "RuleProbe"]
