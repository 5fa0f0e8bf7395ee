"""`python -m podium` is `podium`."""

from podium.cli.program import main

if __name__ == "__main__":
    main()
