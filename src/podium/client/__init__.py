"""podium.Client: a ladder that lives on a service, with the words of `Ladder`."""
