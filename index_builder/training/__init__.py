"""Training: the networks of a bundle, the ensemble that orders their guesses, and a buzzer for each player.

This package fits weights and writes them into a bundle. Nothing here reads a file of questions or plays for a
writer: :mod:`quizwriter.engine` does that, and needs nothing of this package. Importing it loads JAX and
scikit-learn, which takes a second; other modules therefore import it inside the functions that train.
"""

from index_builder.training.learner import TrainingPlan as TrainingPlan
from index_builder.training.trainer import PLAYERS as PLAYERS
from index_builder.training.trainer import PlanFor as PlanFor
from index_builder.training.trainer import train as train
