/** A web server with an address in each region, whose sites can fail as seen from some regions only. */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"

const addresses: Readonly<Record<string, string>> = { eu: "127.0.1.1", us: "127.0.1.2", ap: "127.0.1.3" }

const hook = fileURLToPath(new URL("regionalNames.mjs", import.meta.url))

/** Makes a probe process resolve names like its region does. */
export const seenFromRegion = (region: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import ${hook}`,
  TEST_REGION_ADDRESS: addresses[region] ?? ""
})

/** Sites at `http://<site>.test:<port>/`, all healthy at first. */
export const makeRegionalTargets = Effect.gen(function*() {
  const broken = new Map<string, ReadonlySet<string>>()
  const server = createServer((request, response) => {
    const site = request.headers.host?.split(".")[0] ?? ""
    const region = Object.entries(addresses).find(([, address]) => address === request.socket.localAddress)?.[0] ?? ""
    response.writeHead(broken.get(site)?.has(region) ? 503 : 200).end()
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "0.0.0.0", () => resume(Effect.void))),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (site: string) => `http://${site}.test:${port}/`,
    /** From now on these sites fail as seen from these regions only. */
    breakFrom: (sites: ReadonlyArray<string>, regions: ReadonlyArray<string>) => {
      for (const site of sites) broken.set(site, new Set(regions))
    }
  }
})
