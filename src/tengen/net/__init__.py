"""Networks: their files and what is refused, the towers that are trained, and evaluators that ask them."""
