/** Profiles of browsers outlive a worker that is killed; the next one removes them. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { removeStaleProfiles } from "../../src/probe/browser/Chromium.ts"
import { profilePrefix } from "../../src/probe/browser/ProfileName.ts"

it.scopedLive("removes the profiles of workers that have ended, and nothing else", () =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "belltower-profiles-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const ended = spawnSync("true").pid
    const own = `${profilePrefix(process.pid)}own`
    for (const name of [`${profilePrefix(ended)}killed`, own, "belltower-other", "somebody"]) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, "Cookies"), "x")
    }
    const kept = [own, "belltower-other", "somebody"]
    if (process.getuid?.() === 0) {
      // Another user may make a folder of that name, and change what is in it while it is removed.
      const planted = `${profilePrefix(ended)}planted`
      mkdirSync(join(folder, planted))
      chownSync(join(folder, planted), 12_345, 12_345)
      kept.push(planted)
    }
    yield* removeStaleProfiles(folder)
    expect(readdirSync(folder).sort()).toEqual(kept.sort())
    yield* removeStaleProfiles(join(folder, "missing"))
  }))
