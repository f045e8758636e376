import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Conflict, ValidationFailed } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { NameServers } from "../../../src/egress/DomainRecords.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { VerifyDomain } from "../../../src/operations/page/VerifyDomain.ts"
import { ground, newWorkspace } from "../../pages/Fixtures.ts"
import { localDns } from "../../support/network/LocalDns.ts"

const domain = "status.shop.test"

layer(ground, { excludeTestServices: true })("The domain of a page", (it) => {
  it.scoped("belongs to the first page that it points to, until another one proves it by TXT; it is lost when DNS changes", () =>
    Effect.gen(function*() {
      const pages = yield* ManagePages
      const { verify } = yield* VerifyDomain
      let answers: Readonly<Record<string, string>> = {}
      const port = yield* localDns(({ name, type }) => {
        const data = answers[`${name} ${type}`]
        return data === undefined
          ? { rcode: "NXDOMAIN" }
          : { answers: [type === "TXT" ? { name, type, data: [data] } : { name, type: "CNAME", data }] }
      })
      const verified = (workspaceId: WorkspaceId, id: string) =>
        Effect.provideService(verify(workspaceId, id), NameServers, [`127.0.0.1:${port}`])
      const [first, owner] = [yield* newWorkspace(), yield* newWorkspace()]
      const one = yield* pages.create(first, { name: "One", customDomain: domain })
      const two = yield* pages.create(owner, { name: "Two", customDomain: domain })
      expect(yield* verified(first, one.id)).toMatchObject({
        verified: false,
        dns: { value: `${one.id.replace("_", "-")}.belltower.test` }
      })

      answers = { [`${domain} CNAME`]: "belltower.test" }
      expect(yield* verified(first, one.id)).toMatchObject({ verified: true, reason: null })
      expect((yield* pages.record(first, one.id)).url).toBe(`https://${domain}`)
      expect(yield* Effect.flip(verified(owner, two.id))).toBeInstanceOf(Conflict)

      answers = { ...answers, [`_belltower.${domain} TXT`]: `belltower-page=${two.id}` }
      expect((yield* verified(owner, two.id)).verified).toBe(true)
      expect((yield* pages.record(first, one.id)).domainVerifiedAt).toBeNull()
      expect((yield* verified(first, one.id)).verified).toBe(false)

      answers = {}
      expect((yield* verified(owner, two.id)).verified).toBe(false)
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`select 1 from pages where domain_verified_at is not null`).toHaveLength(0)
      const none = yield* pages.create(owner, { name: "No domain" })
      expect(yield* Effect.flip(verified(owner, none.id))).toBeInstanceOf(ValidationFailed)
    }))
})
