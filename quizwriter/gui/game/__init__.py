"""Games on the writer's tossups: read aloud by a moderator, or played alone against the machines."""
