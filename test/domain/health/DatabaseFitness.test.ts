/** Which servers are refused before anything is stored in them. */
import { describe, expect, it } from "@effect/vitest"
import { serverRefusal } from "../../../src/domain/health/DatabaseFitness.ts"

const fit = { version: 150_018, versionText: "15.18 (Debian 15.18-0+deb12u1)", encoding: "UTF8" }

describe("a server", () => {
  it("of version 15 or newer with a UTF8 database is used", () => {
    expect(serverRefusal(fit)).toBeNull()
    expect(serverRefusal({ ...fit, version: 180_000, versionText: "18.0" })).toBeNull()
  })

  it("that is too old or has another encoding is refused with what to do", () => {
    expect(serverRefusal({ ...fit, version: 140_020, versionText: "14.20" })).toMatch(/^PostgreSQL 14\.20 is too old.* Upgrade/)
    expect(serverRefusal({ ...fit, encoding: "SQL_ASCII" })).toMatch(/SQL_ASCII.* Create one/)
  })
})
