"""Training: the networks of a bundle, the ensemble that orders their guesses, and a buzzer for each player.

This package fits weights and writes them into a bundle. Nothing here reads a file of questions or plays for a
writer: :mod:`quizwriter.engine` does that, and needs nothing of this package. Importing it loads torch and
scikit-learn, which takes seconds; other modules therefore import it inside the functions that train.
"""

import os

# Where others use the cores, threads that spin while they wait for each other take ten times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from index_builder.training.distractor import DistractorPlan as DistractorPlan
from index_builder.training.distractor import DistractorWriter as DistractorWriter
from index_builder.training.fine_tuning import PacketsLearnt as PacketsLearnt
from index_builder.training.fine_tuning import fine_tune as fine_tune
from index_builder.training.learner import TrainingPlan as TrainingPlan
from index_builder.training.learner import usable_cores as usable_cores
from index_builder.training.model_calibration import CalibrationLimits as CalibrationLimits
from index_builder.training.model_calibration import calibrate_model as calibrate_model
from index_builder.training.page_classifier import NetworkSize as NetworkSize
from index_builder.training.qanta_recipes import compare_recipes as compare_recipes
from index_builder.training.stated_questions import asking_sentence as asking_sentence
from index_builder.training.stated_questions import state as state
from index_builder.training.trainer import PLAYERS as PLAYERS
from index_builder.training.trainer import PlanFor as PlanFor
from index_builder.training.trainer import TrainingOptions as TrainingOptions
from index_builder.training.trainer import standard_plan as standard_plan
from index_builder.training.trainer import train as train
from index_builder.training.trial import train_trial_dan as train_trial_dan
