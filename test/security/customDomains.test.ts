/** A custom domain belongs to the one who controls its DNS today: old records prove nothing for somebody else. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { makeRenewDomains } from "../../cluster/page/DomainUpkeep.ts"
import type { PageId, WorkspaceId } from "../../schema/Ids.ts"
import { EmailAddress } from "../../schema/people/Person.ts"
import { isReservedDomain } from "../../src/domain/page/ReservedDomains.ts"
import { NameServers } from "../../src/egress/DomainRecords.ts"
import { domainOf } from "../../src/http/page/HostRouting.ts"
import { Links, linksFrom } from "../../src/links/Links.ts"
import { ChangePage } from "../../src/operations/page/ChangePage.ts"
import { ManagePages } from "../../src/operations/page/ManagePages.ts"
import { ReservedDomains, VerifyDomain } from "../../src/operations/page/VerifyDomain.ts"
import { Mails } from "../../src/store/mail/Mails.ts"
import { PageEdits } from "../../src/store/page/PageEdits.ts"
import { VerifiedDomains } from "../../src/store/page/VerifiedDomains.ts"
import { Users } from "../../src/store/people/Users.ts"
import { ground, newWorkspace } from "../pages/Fixtures.ts"
import { localDns } from "../support/network/LocalDns.ts"

const host = "belltower.test"
const here = "192.0.2.7"

/** The name of a page that its CNAME points to. */
const nameOf = (id: string): string => `${id.replace("_", "-")}.${host}`

/** Answers by name and type; names of pages resolve as a wildcard does. Null: the server fails for everybody. */
type Zone = Readonly<Record<string, string>> | null

/** A name server whose zone the test changes, and the operations that ask it. */
const makeScene = Effect.gen(function*() {
  const scene: { zone: Zone } = { zone: {} }
  const base: Readonly<Record<string, string>> = { [`${host} A`]: here }
  const port = yield* localDns(({ name, type }) => {
    if (scene.zone === null) return { rcode: "SERVFAIL" }
    const zone = { ...base, ...scene.zone }
    const data = zone[`${name} ${type}`]
    if (data === undefined) return { rcode: "NXDOMAIN" }
    return { answers: [type === "TXT" ? { name, type, data: [data] } : { name, type: type === "CNAME" ? "CNAME" : "A", data }] }
  })
  const servers = [`127.0.0.1:${port}`]
  const { verify } = yield* VerifyDomain
  const renew = yield* makeRenewDomains
  return {
    scene,
    servers,
    verify: (workspaceId: WorkspaceId, id: string) => Effect.provideService(verify(workspaceId, id), NameServers, servers),
    renew: Effect.provideService(renew, NameServers, servers)
  }
})

const TestGround = Layer.mergeAll(Mails.Default, PageEdits.Default, VerifiedDomains.Default, Users.Default).pipe(
  Layer.provideMerge(ground)
)

/** Makes a page of a new workspace that names the domain. */
const newPage = Effect.fn("newPage")(function*(customDomain: string) {
  const workspaceId = yield* newWorkspace()
  const pages = yield* ManagePages
  const { id } = yield* pages.create(workspaceId, { name: "Acme", customDomain })
  return { workspaceId, id }
})

const isVerified = Effect.fn("isVerified")(
  function*({ id, workspaceId }: { readonly workspaceId: WorkspaceId; readonly id: PageId }) {
    return (yield* (yield* ManagePages).record(workspaceId, id)).domainVerifiedAt !== null
  }
)

/** Makes every verified domain due, as if a day had passed. */
const dayPasses = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update verified_domains set due_at = now() - interval '1 second' where due_at is not null`
)

const viewer = (workspaceId: WorkspaceId) => ({ workspaceId, scopes: ["read", "write"] as const, operations: null })

layer(TestGround, { excludeTestServices: true })("A custom domain", (it) => {
  it.scoped("that a page gave up is not another's by the old CNAME, nor by its addresses, but by a TXT record", () =>
    Effect.gen(function*() {
      const { scene, verify } = yield* makeScene
      const domain = "released.acme.test"
      const [owner, stranger] = [yield* newPage(domain), yield* newPage(domain)]
      scene.zone = { [`${domain} CNAME`]: nameOf(owner.id) }
      expect(yield* verify(owner.workspaceId, owner.id)).toMatchObject({ verified: true, dns: { value: nameOf(owner.id) } })
      yield* (yield* ChangePage).remove(owner.workspaceId, owner.id)

      const byOldName = yield* verify(stranger.workspaceId, stranger.id)
      expect([byOldName.verified, byOldName.reason]).toEqual([false, expect.stringContaining("another page's name")])
      for (
        const left of [{ [`${domain} A`]: here }, { [`${domain} CNAME`]: host }, { [`${domain} CNAME`]: nameOf(stranger.id) }]
      ) {
        scene.zone = left
        const byLeft = yield* verify(stranger.workspaceId, stranger.id)
        expect([byLeft.verified, byLeft.reason]).toEqual([false, expect.stringContaining("needs the TXT record")])
      }
      scene.zone = { [`${domain} A`]: here, [`_belltower.${domain} TXT`]: `belltower-page=${stranger.id}` }
      expect((yield* verify(stranger.workspaceId, stranger.id)).verified).toBe(true)
    }))

  it.scoped("whose CNAME names a page is no other's, also while no page has verified it", () =>
    Effect.gen(function*() {
      const { scene, verify } = yield* makeScene
      const domain = "waiting.acme.test"
      const [owner, stranger] = [yield* newPage(domain), yield* newPage(domain)]
      scene.zone = { [`${domain} CNAME`]: `${nameOf(owner.id).toUpperCase()}`, [`${domain} A`]: here }
      expect((yield* verify(stranger.workspaceId, stranger.id)).verified).toBe(false)
      expect((yield* verify(owner.workspaceId, owner.id)).verified).toBe(true)
    }))

  it.scoped("goes to the page that its CNAME names from one that it only led to", () =>
    Effect.gen(function*() {
      const { scene, verify } = yield* makeScene
      const domain = "first.acme.test"
      const [owner, stranger] = [yield* newPage(domain), yield* newPage(domain)]
      scene.zone = { [`${domain} A`]: here }
      expect((yield* verify(stranger.workspaceId, stranger.id)).verified).toBe(true)
      scene.zone = { [`${domain} CNAME`]: nameOf(owner.id) }
      expect((yield* verify(owner.workspaceId, owner.id)).verified).toBe(true)
      expect(yield* isVerified(stranger)).toBe(false)
    }))

  it.scoped("that its own page gave up needs the TXT record, too", () =>
    Effect.gen(function*() {
      const { scene, verify } = yield* makeScene
      const domain = "back.acme.test"
      const page = yield* newPage(domain)
      scene.zone = { [`${domain} CNAME`]: nameOf(page.id) }
      expect((yield* verify(page.workspaceId, page.id)).verified).toBe(true)
      const { update } = yield* ChangePage
      yield* update(viewer(page.workspaceId), page.id, { customDomain: null })
      yield* update(viewer(page.workspaceId), page.id, { customDomain: domain })
      expect((yield* verify(page.workspaceId, page.id)).verified).toBe(false)
    }))

  it.scoped("of the operator is a page's by a TXT record only", () =>
    Effect.gen(function*() {
      for (const domain of [`login.${host}`, "www.operator.test"]) {
        const { scene, servers } = yield* makeScene
        const { verify } = yield* Effect.provide(VerifyDomain, VerifyDomain.Default).pipe(
          Effect.provideService(ReservedDomains, ["*.operator.test", "*"])
        )
        const page = yield* newPage(domain)
        const verified = Effect.provideService(verify(page.workspaceId, page.id), NameServers, servers)
        for (const zone of [{ [`${domain} A`]: here }, { [`${domain} CNAME`]: nameOf(page.id) }]) {
          scene.zone = zone
          expect((yield* verified).verified).toBe(false)
        }
        scene.zone = { [`_belltower.${domain} TXT`]: `belltower-page=${page.id}` }
        expect((yield* verified).verified).toBe(true)
      }
    }))

  it.scoped("of a service at an address or a local name points there, and needs the TXT record after its release", () =>
    Effect.gen(function*() {
      for (const [baseUrl, target] of [["http://192.0.2.7:8080", here], ["http://localhost:8080", "localhost"]] as const) {
        const { scene, servers } = yield* makeScene
        const { verify } = yield* Effect.provide(VerifyDomain, VerifyDomain.Default).pipe(
          Effect.provideService(Links, linksFrom(baseUrl))
        )
        const domain = `status.${target === here ? "address" : "local"}.test`
        const [one, two] = [yield* newPage(domain), yield* newPage(domain)]
        const verified = ({ id, workspaceId }: typeof one) => Effect.provideService(verify(workspaceId, id), NameServers, servers)
        scene.zone = target === here ? { [`${domain} A`]: here } : { [`${domain} CNAME`]: "localhost" }
        expect(yield* verified(one)).toMatchObject({ verified: true, dns: { value: target } })
        yield* (yield* ChangePage).remove(one.workspaceId, one.id)
        expect((yield* verified(two)).verified).toBe(false)
        scene.zone = { ...scene.zone, [`_belltower.${domain} TXT`]: `belltower-page=${two.id}` }
        expect((yield* verified(two)).verified).toBe(true)
      }
    }))

  it.scoped("is lost after three failures in a row on three days, and its owners are warned after the first", () =>
    Effect.gen(function*() {
      const { renew, scene, verify } = yield* makeScene
      const sql = yield* SqlClient.SqlClient
      const [domain, other] = ["expired.acme.test", "good.acme.test"]
      const [page, neighbour] = [yield* newPage(domain), yield* newPage(other)]
      const email = Schema.decodeSync(EmailAddress)(`owner-of-${page.workspaceId}@example.com`)
      const user = yield* (yield* Users).ensure(email, true, null)
      yield* sql`
        insert into memberships (workspace_id, user_id, role, created_at) values (${page.workspaceId}, ${user.id}, 'owner', now())`
      const subjects = Effect.map(
        sql<{ readonly subject: string }>`select subject from mails where workspace_id = ${page.workspaceId} order by id`,
        (rows) => rows.map(({ subject }) => subject)
      )
      const good = { [`${other} CNAME`]: nameOf(neighbour.id) }
      scene.zone = { ...good, [`${domain} CNAME`]: nameOf(page.id) }
      yield* verify(page.workspaceId, page.id)
      yield* verify(neighbour.workspaceId, neighbour.id)

      scene.zone = good
      const seen: Array<readonly [boolean, number]> = []
      for (let day = 0; day < 4; day++) {
        yield* dayPasses
        yield* renew
        seen.push([yield* isVerified(page), (yield* subjects).length])
      }
      expect(seen).toEqual([[true, 1], [true, 1], [false, 2], [false, 2]])
      expect(yield* subjects).toEqual([`${domain} will stop working in 2 days`, `${domain} is no longer verified`])
      expect(yield* isVerified(neighbour)).toBe(true)
      // Lost, so its old record proves nothing any more.
      scene.zone = { ...good, [`${domain} CNAME`]: nameOf(page.id) }
      expect((yield* verify(page.workspaceId, page.id)).verified).toBe(false)
    }))

  it.scoped("is not lost by failures that are not in a row, and none of all are lost while DNS fails for all", () =>
    Effect.gen(function*() {
      const { renew, scene, verify } = yield* makeScene
      const sql = yield* SqlClient.SqlClient
      yield* sql`update pages set domain_verified_at = null`
      const [domain, other] = ["steady.acme.test", "also.acme.test"]
      const [page, neighbour] = [yield* newPage(domain), yield* newPage(other)]
      const both = { [`${domain} CNAME`]: nameOf(page.id), [`${other} CNAME`]: nameOf(neighbour.id) }
      const onlyOther = { [`${other} CNAME`]: nameOf(neighbour.id) }
      scene.zone = both
      yield* verify(page.workspaceId, page.id)
      yield* verify(neighbour.workspaceId, neighbour.id)
      // A server that fails; one that denies every domain; failures with a success between.
      const zones: ReadonlyArray<Zone> = [null, {}, null, {}, {}, onlyOther, onlyOther, both, onlyOther, onlyOther]
      for (const zone of zones) {
        scene.zone = zone
        yield* dayPasses
        yield* renew
        expect([yield* isVerified(page), yield* isVerified(neighbour)]).toEqual([true, true])
      }
      yield* dayPasses
      yield* renew
      expect([yield* isVerified(page), yield* isVerified(neighbour)]).toEqual([false, true])
    }))

  it.scoped("that was verified by a record without the page's name stays verified", () =>
    Effect.gen(function*() {
      const { renew, scene } = yield* makeScene
      const sql = yield* SqlClient.SqlClient
      const pages = [yield* newPage("old-name.acme.test"), yield* newPage("old-address.acme.test")]
      // As an older release did it.
      for (const { id } of pages) yield* sql`update pages set domain_verified_at = now() where id = ${id}`
      scene.zone = { "old-name.acme.test CNAME": host, "old-address.acme.test A": here }
      for (let day = 0; day < 4; day++) {
        yield* dayPasses
        yield* renew
      }
      for (const page of pages) expect(yield* isVerified(page)).toBe(true)
    }))

  it.scoped("is asked about once a day, and not any more once no page holds it", () =>
    Effect.gen(function*() {
      const { renew, scene, verify } = yield* makeScene
      const sql = yield* SqlClient.SqlClient
      const domain = "daily.acme.test"
      const page = yield* newPage(domain)
      scene.zone = { [`${domain} CNAME`]: nameOf(page.id) }
      yield* verify(page.workspaceId, page.id)
      const dueIn = Effect.map(
        sql<{ readonly hours: number | null }>`
          select round(extract(epoch from due_at - now()) / 3600)::int as hours from verified_domains where domain = ${domain}`,
        ([row]) => row?.hours
      )
      expect(yield* dueIn).toBe(24)
      yield* dayPasses
      yield* renew
      expect(yield* dueIn).toBe(24)
      yield* (yield* ChangePage).remove(page.workspaceId, page.id)
      yield* dayPasses
      yield* renew
      expect(yield* dueIn).toBeNull()
    }))
})

describe("The names of the operator", () => {
  it("are the service's host, what is below and above it, and those that it lists", () => {
    const isReserved = (domain: string) => isReservedDomain(domain, "app.belltower.test", ["Docs.test", "*.aliases.test", "*"])
    const reserved = [
      "app.belltower.test",
      "x.app.belltower.test",
      "belltower.test",
      "docs.test",
      "a.docs.test",
      "b.aliases.test"
    ]
    expect(reserved.filter((domain) => !isReserved(domain))).toEqual([])
    const free = ["status.belltower.test", "status.acme.test", "notdocs.test", "xapp.belltower.test"]
    expect(free.filter(isReserved)).toEqual([])
  })
})

describe("The page at a domain", () => {
  it("is served alone also if the name ends in a dot, or in an international label", () => {
    expect(["Status.Acme.test.", "status.acme.test.:443", "status.acme.xn--p1ai"].map(domainOf)).toEqual([
      "status.acme.test",
      "status.acme.test",
      "status.acme.xn--p1ai"
    ])
    expect(["127.0.0.1", "localhost", "[::1]:8080", undefined].map(domainOf)).toEqual([null, null, null, null])
  })
})
