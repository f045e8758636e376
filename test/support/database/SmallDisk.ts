/** A disk of a few megabytes, in memory. */
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Only root of a machine may mount, and of a container with that right. */
export const canMount = (): boolean => {
  const isRoot = process.platform === "linux" && process.getuid?.() === 0 &&
    spawnSync("unshare", ["--mount", "true"], { stdio: "ignore" }).status === 0
  if (!isRoot) console.warn("SKIPPED: the tests of a small disk, which only root can mount.")
  return isRoot
}

/** The folder that it is mounted at until the scope closes. */
export const smallDisk = (megabytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "belltower-disk-"))
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "none", path])
      return path
    }),
    (path) =>
      Effect.sync(() => {
        execFileSync("umount", ["-l", path])
        rmSync(path, { recursive: true })
      })
  )
