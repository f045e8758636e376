/** The arguments of the commands about backups. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import {
  backupUsage,
  moveUsage,
  readBackupWish,
  readMoveWish,
  readRestoreWish,
  restoreUsage
} from "../../../src/domain/backup/BackupWish.ts"

describe("the arguments", () => {
  it("of a backup name one file", () => {
    expect(readBackupWish(["a.bak"])).toEqual(Either.right({ path: "a.bak", isPlain: false }))
    expect(readBackupWish(["--plain", "a.bak"])).toEqual(Either.right({ path: "a.bak", isPlain: true }))
    for (const words of [[], ["a", "b"], ["a", "--fast"]]) expect(readBackupWish(words)).toEqual(Either.left(backupUsage))
  })

  it("of a restore name a file, or say that the database was recovered", () => {
    expect(readRestoreWish(["a.bak", "--into", "postgresql://there", "--replace", "--still"])).toEqual(Either.right({
      _tag: "Restore",
      path: "a.bak",
      allowsPlain: false,
      into: "postgresql://there",
      replaces: true,
      isStill: true,
      hasNewBrokers: false
    }))
    expect(readRestoreWish(["a.bak", "--verify"])).toEqual(Either.right({ _tag: "Verify", path: "a.bak", allowsPlain: false }))
    expect(readRestoreWish(["--recovered"])).toEqual(Either.right({ _tag: "Recovered" }))
    for (const words of [[], ["--recovered", "a"], ["a", "--into"], ["a", "--force"], ["a", "b"]]) {
      expect(readRestoreWish(words)).toEqual(Either.left(restoreUsage))
    }
  })

  it("of a move say where to", () => {
    expect(readMoveWish(["--to", "embedded"])).toEqual(Either.right({ to: "embedded", replaces: false, hasNewBrokers: false }))
    for (const words of [[], ["--to"], ["embedded"], ["--to", "embedded", "more"]]) {
      expect(readMoveWish(words)).toEqual(Either.left(moveUsage))
    }
  })
})
