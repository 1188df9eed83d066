"""The parts of the server process: settings, sockets, uvicorn, and the opening of projects."""
