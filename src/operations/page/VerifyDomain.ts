/** Verifies that a page's custom domain belongs to it, by DNS. */
import { Effect } from "effect"
import { Conflict } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { DomainCheck } from "../../../schema/page/Page.ts"
import { domainVerdict, pageDns } from "../../domain/page/PageDomain.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { readDomain } from "../../egress/DomainRecords.ts"
import { Links } from "../../links/Links.ts"
import { PageEdits } from "../../store/page/PageEdits.ts"
import { Pages } from "../../store/page/Pages.ts"
import { requirePage } from "../NoSuch.ts"
import { makeTransaction } from "../Transaction.ts"

const noDomain = validationFailure([{
  path: "customDomain",
  message: "The page has no custom domain",
  hint: "Set customDomain with PATCH /api/v1/pages/{pageId} first"
}])

export class VerifyDomain extends Effect.Service<VerifyDomain>()("belltower/VerifyDomain", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const pages = yield* Pages
    const edits = yield* PageEdits
    const links = yield* Links

    /** Stores a verdict; a page that proves its domain takes it from one that only points here. Fails with `conflict`. */
    const settle = Effect.fn("VerifyDomain.settle")(
      function*(page: Parameters<typeof pageDns>[0], write: Effect.Effect<boolean>, domain: string) {
        const written = yield* transaction(write)
        if (written) return
        const { txtName, txtValue } = pageDns(page, domain, links.domainTarget)
        return yield* new Conflict({
          message: `Another page has verified ${domain}`,
          hint: `If the domain is yours, add the record ${txtName} TXT ${txtValue} and verify again`
        })
      }
    )

    /** Also takes back a verification, unless DNS does not answer. Fails with `not_found`, `validation_failed` or `conflict`. */
    const verify = Effect.fn("VerifyDomain.verify")(function*(workspaceId: WorkspaceId, idOrSlug: string) {
      const { customDomain, domainVerifiedAt, id, slug } = yield* requirePage(pages, workspaceId, idOrSlug)
      if (customDomain === null) return yield* noDomain
      const dns = pageDns(id, customDomain, links.domainTarget)
      const answers = yield* readDomain({ domain: customDomain, txtName: dns.txtName ?? customDomain, target: dns.value })
      const verdict = domainVerdict(customDomain, dns, answers)
      const outcome = (verified: boolean, reason: string | null): DomainCheck => ({ id, customDomain, verified, reason, dns })
      if (verdict._tag === "Unknown") return outcome(domainVerifiedAt !== null, verdict.reason)
      if (verdict._tag === "Refused") {
        yield* edits.unverify(workspaceId, id, customDomain)
        yield* pages.changed(slug)
        return outcome(false, verdict.reason)
      }
      yield* settle(id, edits.verify(workspaceId, id, customDomain, verdict._tag === "Proved"), customDomain)
      yield* pages.changed(slug)
      return outcome(true, null)
    })

    return { verify }
  }),
  dependencies: [PageEdits.Default]
}) {}
