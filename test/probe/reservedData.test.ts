/** What V8 sets aside for code, on which the limit of a helper's data is added. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { reservedData, reservedIn } from "../../src/probe/isolation/ReservedData.ts"

const maps = (permissions: string) =>
  `55d0c0000000-55d0c2000000 r-xp 00000000 fe:00 7 /usr/bin/node
7f8b3a800000-7f8b5a580000 ${permissions} 00000000 00:00 0
7f8b72fff000-7f8b737ff000 rw-p 00000000 00:00 0
7f8b7a000000-7f8b7a010000 rwxp 00000000 00:00 0
`

describe("the data that V8 sets aside", () => {
  it("is its range for code, if it can be written from the start", () => {
    expect(reservedIn(maps("rwxp"))).toBe(0x7f8b5a580000 - 0x7f8b3a800000)
    expect(reservedIn(maps("---p"))).toBe(0x10000)
    expect(reservedIn("")).toBe(0)
  })

  it("is never more than one such range, so that neighbours do not raise a helper's limit", () => {
    expect(reservedIn("100000000000-200000000000 rwxp 00000000 00:00 0\n")).toBe(512 * 1_048_576)
  })

  it.runIf(process.platform === "linux")("lets a Node start that may have little else", () => {
    const start = (bytes: number) =>
      spawnSync("prlimit", [`--data=${bytes}`, process.execPath, "--eval", "0"], { stdio: "ignore" }).status
    expect(start(200_000_000 + reservedData())).toBe(0)
  })
})
