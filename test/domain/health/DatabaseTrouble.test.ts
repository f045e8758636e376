/** Which failures say something about the whole server, and for how long. */
import { describe, expect, it } from "@effect/vitest"
import { lacksConnection, makeTroubleMemory, unconfirmed } from "../../../src/domain/health/DatabaseTrouble.ts"

describe("a trouble of the database", () => {
  it.each([
    ["53100", /disk .* full.* Free space/],
    ["53200", /out of memory.* Give it more/],
    ["53300", /no more connections.* max_connections/],
    ["25006", /read-only.* primary/],
    ["58030", /files.* log/],
    ["EMFILE", /file descriptors.* \(ulimit -n\)/],
    [unconfirmed, /standby.* synchronous_standby_names/]
  ])("%s is said with what to do, for as long as it is met again", (code, text) => {
    const memory = makeTroubleMemory()
    memory.note(code, 1000)
    expect(memory.current(1000)).toMatch(text)
    memory.note(code, 9000)
    expect(memory.current(18_999)).toMatch(text)
    expect(memory.current(19_000)).toBeNull()
  })

  it("is not what a single statement did wrong, or a connection that ended", () => {
    const memory = makeTroubleMemory()
    for (const code of ["23505", "40P01", "57014", "ECONNREFUSED", ""]) memory.note(code, 0)
    expect(memory.current(0)).toBeNull()
    expect(["53300", "EMFILE", "53100", "ECONNREFUSED"].map(lacksConnection)).toEqual([true, true, false, false])
  })
})
