/** A port of this machine that was free a moment ago. */
import { Effect } from "effect"
import { createServer } from "node:net"

export const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})
