"""Search: the best plan under budgets, the whole Pareto curve, and what to raise next."""

from engine.tuning.search.costs import PlanCosts, native_choices, plan_costs
from engine.tuning.search.greedy import Ladder, greedy, ladder
from engine.tuning.search.prediction import Calibration, damages, saturation, sum_of
from engine.tuning.search.problem import Budgets, Choices, Problem, agreeing_kernels, build_problem, precision
from engine.tuning.search.proposal import BUDGET_NAMES, Proposal
from engine.tuning.search.propose import Search, uniform_plans
from engine.tuning.search.solver import Answer, solve
from engine.tuning.search.steps import Step, confirmed, order_by, raise_next

__all__ = [
    "BUDGET_NAMES",
    "Answer",
    "Budgets",
    "Calibration",
    "Choices",
    "Ladder",
    "PlanCosts",
    "Problem",
    "Proposal",
    "Search",
    "Step",
    "agreeing_kernels",
    "build_problem",
    "confirmed",
    "damages",
    "greedy",
    "ladder",
    "native_choices",
    "order_by",
    "plan_costs",
    "precision",
    "raise_next",
    "saturation",
    "solve",
    "sum_of",
    "uniform_plans",
]
