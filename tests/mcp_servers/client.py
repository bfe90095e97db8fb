"""PyPI's client of the protocol: calls a tool of a site over stdio. `client.py PROGRAM SITE`"""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    server = StdioServerParameters(command=sys.argv[1], args=["--site", sys.argv[2], "--principal", "pypi"])
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert "line_count" in names, names
        inputs = [{"name": "a.txt", "content_base64": "b25lCnR3bwo="}]
        result = await session.call_tool("line_count", {"file": "a.txt", "_inputs": inputs})
        print(result.content[0].text, end="")


asyncio.run(main())
