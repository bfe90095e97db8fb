"""PyPI's client of the protocol: calls a tool of a site. `client.py PROGRAM SITE` over stdio, `client.py URL TOKEN` over HTTP."""

import asyncio
import sys

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def call(streams) -> None:
    async with ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert "line_count" in names, names
        inputs = [{"name": "a.txt", "content_base64": "b25lCnR3bwo="}]
        result = await session.call_tool("line_count", {"file": "a.txt", "_inputs": inputs})
        print(result.content[0].text, end="")


async def main() -> None:
    server, more = sys.argv[1:]
    if server.startswith("http:"):
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {more}"}, timeout=60) as client:
            async with streamable_http_client(server, http_client=client) as streams:
                await call(streams)
    else:
        own = StdioServerParameters(command=server, args=["--site", more, "--principal", "pypi"])
        async with stdio_client(own) as streams:
            await call(streams)


asyncio.run(main())
