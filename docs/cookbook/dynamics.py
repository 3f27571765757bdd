"""Dynamics: from transitions of a small gene network to its rules, and to where it ends up."""

import itertools

import pandas as pd

from nri_dynamics import learn_dynamics

# what was observed: each state of three genes, and the state after it
states = pd.DataFrame(itertools.product((0, 1), repeat=3), columns=["lacI", "tetR", "cI"])
after = pd.DataFrame({"lacI": 1 - states["cI"], "tetR": 1 - states["lacI"], "cI": 1 - states["tetR"]})

system = learn_dynamics(states, after)
print(system)

attractors = system.attractors()
lengths = [len(cycle) for cycle in attractors.cycles]
print(f"{len(attractors.fixed_points)} fixed points, cycles of {lengths} states")
print("without tetR:", system.knock_out(tetR=0).attractors().fixed_points)

for influence in system.influences:
    print(influence.source, influence.effect, influence.target)
with open("repressilator.svg", "w", encoding="utf-8") as file:
    file.write(system.render("svg"))
