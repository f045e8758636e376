import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { domainVerdict, pageDns } from "../../../src/domain/page/PageDomain.ts"
import { NameServers, readDomain } from "../../../src/egress/DomainRecords.ts"
import { localDns, type React } from "../../support/network/LocalDns.ts"

const domain = "status.acme.test"
const target = "belltower.test"
const dns = pageDns("pg_1", domain, target)

const records = (answers: Readonly<Record<string, string>>): React => ({ name, type }) => {
  const data = answers[`${name} ${type}`]
  if (data === undefined) return { rcode: "NXDOMAIN" }
  return { answers: [type === "TXT" ? { name, type, data: [data] } : { name, type: type as "A" | "CNAME", data }] }
}

/** The verdict on what a real name server says. */
const verdictOf = (react: React) =>
  Effect.gen(function*() {
    const port = yield* localDns(react)
    const answers = yield* readDomain({ domain, txtName: dns.txtName ?? "", target }).pipe(
      Effect.provideService(NameServers, [`127.0.0.1:${port}`])
    )
    return domainVerdict(domain, dns, answers)
  })

describe("A custom domain", () => {
  it.scopedLive("points here by its CNAME, in any spelling, or by the same addresses", () =>
    Effect.gen(function*() {
      expect((yield* verdictOf(records({ [`${domain} CNAME`]: "Belltower.TEST" })))._tag).toBe("Pointed")
      const here = { [`${domain} A`]: "192.0.2.7", [`${target} A`]: "192.0.2.7" }
      expect((yield* verdictOf(records(here)))._tag).toBe("Pointed")
    }))

  it.scopedLive("is proved by its TXT record, and refused if that names another page", () =>
    Effect.gen(function*() {
      const txt = `_belltower.${domain} TXT`
      expect((yield* verdictOf(records({ [txt]: "belltower-page=pg_1" })))._tag).toBe("Proved")
      const others = { [txt]: "belltower-page=pg_2", [`${domain} CNAME`]: target }
      expect((yield* verdictOf(records(others)))._tag).toBe("Refused")
    }))

  it.scopedLive("is refused elsewhere, with the record to add", () =>
    Effect.gen(function*() {
      const elsewhere = yield* verdictOf(records({ [`${domain} A`]: "192.0.2.1", [`${target} A`]: "192.0.2.7" }))
      expect(elsewhere).toEqual({
        _tag: "Refused",
        reason: `${domain} points to 192.0.2.1. Add the record ${domain} CNAME ${target}`
      })
      expect((yield* verdictOf(records({})))._tag).toBe("Refused")
    }))

  it.scopedLive("keeps its state while the name server fails", () =>
    Effect.gen(function*() {
      expect((yield* verdictOf(() => ({ rcode: "SERVFAIL" })))._tag).toBe("Unknown")
    }))
})
