/** A runner that cannot listen says what to set. */
import { RunnerAddress, ShardingConfig } from "@effect/cluster"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ClusterIdentity } from "../../cluster/ClusterIdentity.ts"
import { layerSocketServer } from "../../cluster/TlsSockets.ts"
import { portInUse } from "../flows/support/Program.ts"

const refusal = (host: string, port: number) =>
  Layer.build(layerSocketServer).pipe(
    Effect.provide([
      ShardingConfig.layer({ runnerAddress: Option.some(RunnerAddress.make(host, port)) }),
      ClusterIdentity.ofKey(new Uint8Array(32))
    ]),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

it.scopedLive("a runner whose port is in use, or whose address is elsewhere, names both settings", () =>
  Effect.gen(function*() {
    const port = yield* portInUse
    const ways = /BELLTOWER_RUNNER_HOST to an address of this machine, and BELLTOWER_RUNNER_PORT to a free port$/
    const taken = yield* refusal("127.0.0.1", port)
    expect(taken).toMatch(ways)
    expect(taken).toContain(`EADDRINUSE: address already in use 127.0.0.1:${port}`)
    expect(yield* refusal("203.0.113.5", port)).toMatch(ways)
  }))
