/** How the file descriptors of a process are shared. */
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { mostChecks, mostConnections, mostOpenFiles, openFilesLook } from "../../../src/http/server/OpenFiles.ts"

it("clients and checks take no more than leaves some for alerts and the database", () => {
  for (const files of [256, 1024, 4096, 1_048_576]) expect(mostConnections(files) + mostChecks(files)).toBeLessThan(files * 0.9)
})

it.live.runIf(process.platform === "linux")(
  "the limit and the open files of this process are read",
  () =>
    Effect.gen(function*() {
      const most = Option.getOrThrow(yield* mostOpenFiles)
      const finding = yield* yield* openFilesLook
      expect(finding).toMatchObject({ state: "ok", details: { most } })
      expect(Number(finding.details?.["open"])).toBeGreaterThan(3)
    })
)
