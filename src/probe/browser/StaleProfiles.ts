/** Removes the profiles of browsers whose worker was killed: nothing of it was left to remove them. */
import { Effect, Either } from "effect"
import { readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { workerOf } from "./ProfileName.ts"

/** Whether a process exists; one of another user does, too. */
const isAlive = (pid: number): boolean =>
  Either.match(Either.try({ try: () => process.kill(pid, 0), catch: (error) => error }), {
    onLeft: (error) => error instanceof Error && "code" in error && error.code === "EPERM",
    onRight: () => true
  })

/** Looks once into a folder, by default where launchers put profiles. Never fails: what cannot be removed stays. */
export const removeStaleProfiles = (folder = tmpdir()): Effect.Effect<void> =>
  Effect.tryPromise(() => readdir(folder)).pipe(
    Effect.map((names) => names.filter((name) => !isAlive(workerOf(name) ?? process.pid))),
    Effect.flatMap(Effect.forEach(
      (name) => Effect.ignore(Effect.tryPromise(() => rm(join(folder, name), { recursive: true, force: true }))),
      { discard: true }
    )),
    Effect.ignore
  )
