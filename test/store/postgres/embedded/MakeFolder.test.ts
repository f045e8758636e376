/** Folders are created with their parents, or the failure is reported. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeFolder } from "../../../../src/store/postgres/embedded/MakeFolder.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "belltower-folder-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

const why = (path: string) => Effect.flip(Effect.tryPromise({ try: () => makeFolder(path), catch: String }))

it.scopedLive("a folder is created with its parents, even by two callers together, and an existing one is unchanged", () =>
  Effect.gen(function*() {
    const path = join(yield* folder, "with a blank", "and", "more")
    yield* Effect.promise(() => Promise.all([makeFolder(path), makeFolder(path)]))
    yield* Effect.promise(() => makeFolder(`${path}/`))
    expect((yield* Effect.promise(() => stat(path))).isDirectory()).toBe(true)
  }))

it.scopedLive("an impossible folder is reported, even on a file system that supports none", () =>
  Effect.gen(function*() {
    const file = join(yield* folder, "file")
    yield* Effect.promise(() => writeFile(file, ""))
    expect(yield* why(file)).toContain("EEXIST")
    expect(yield* why(join(file, "data"))).toContain("ENOTDIR")
    if (existsSync("/proc/self")) expect(yield* why("/proc/nothing/data")).toContain("ENOENT")
  }))
