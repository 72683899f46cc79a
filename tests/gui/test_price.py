import pytest

from engine.npu import simulate
from engine.precision.scheme import INT4
from engine.quant.sizes import plan_bytes
from gui.views.price import Pricer


@pytest.fixture
def pricer(session):
    arrived = []
    made = Pricer(session, "test", lambda: arrived.append(1))
    made.arrived = arrived
    yield made
    made.stop()


def cheaper(session):
    kernel = next(k for k in session.network.tunable if session.plan.scheme(k.id) != INT4)
    return session.plan.with_schemes({kernel.id: INT4})


def test_a_price_is_what_simulator_and_sizes_say(session, pricer, qtbot):
    plan = cheaper(session)
    assert pricer.known(plan) is None
    pricer.ask([plan])
    qtbot.waitUntil(lambda: pricer.known(plan) is not None, timeout=5000)
    price = pricer.known(plan)
    assert price.size.total == plan_bytes(session.network, plan).total
    assert price.simulation.latency_us == simulate(session.network, plan, session.device).latency_us
    assert pricer.arrived == [1]


def test_what_is_known_is_not_asked_again(session, pricer, qtbot):
    plan = cheaper(session)
    pricer.ask([plan])
    qtbot.waitUntil(lambda: pricer.known(plan) is not None, timeout=5000)
    jobs = len(session.jobs.history)
    pricer.ask([plan])
    assert len(session.jobs.history) == jobs


def test_another_device_makes_every_price_unknown(session, pricer, qtbot):
    plan = cheaper(session)
    pricer.ask([plan])
    qtbot.waitUntil(lambda: pricer.known(plan) is not None, timeout=5000)
    session.set_device("ascend310b1")
    assert pricer.known(plan) is None


def test_an_answer_for_the_old_device_is_thrown_away(session, pricer, qtbot):
    plan = cheaper(session)
    pricer.ask([plan])
    session.set_device("ascend310b1")
    qtbot.waitUntil(lambda: not session.jobs.active, timeout=5000)
    assert pricer.known(plan) is None
    assert pricer.arrived == []


def test_a_newer_question_takes_the_place_of_an_older_one(session, pricer, qtbot):
    first, second = session.plan, cheaper(session)
    pricer.ask([first])
    old = session.jobs.history[-1]
    pricer.ask([second])
    assert old.token.cancelled
    qtbot.waitUntil(lambda: pricer.known(second) is not None, timeout=5000)
