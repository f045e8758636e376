/** Sites at `http://<site>.test:<port>/` that can be broken as seen from some regions: each region resolves names to its address. */
import { Effect } from "effect"
import { createServer } from "node:http"
import { listening } from "../../support/targets/LocalTargets.ts"
import type { Breakable } from "./breakableTargets.ts"

/** A site is broken as seen from these addresses; its monitor checks it from all of these regions. */
export const makeRegionalTargets = (regions: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const broken = new Map<string, ReadonlySet<string>>()
    const server = createServer((request, response) => {
      const site = request.headers.host?.split(".")[0] ?? ""
      response.writeHead(broken.get(site)?.has(request.socket.localAddress ?? "") ? 503 : 200).end()
    })
    const port = yield* listening(server, "0.0.0.0")
    return (site: string, from: ReadonlyArray<string>): Breakable => ({
      input: { url: `http://${site}.test:${port}/`, regions },
      break: Effect.sync(() => void broken.set(site, new Set(from))),
      mend: Effect.sync(() => void broken.delete(site))
    })
  })
