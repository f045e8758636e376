/** Verifies that a page's custom domain belongs to it, by DNS. */
import { Context, DateTime, Effect } from "effect"
import { Conflict } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { DomainCheck } from "../../../schema/page/Page.ts"
import { renewEvery } from "../../domain/page/DomainRenewal.ts"
import { domainVerdict, pageDns, targetHost } from "../../domain/page/PageDomain.ts"
import { isReservedDomain } from "../../domain/page/ReservedDomains.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { readDomain } from "../../egress/DomainRecords.ts"
import { Links } from "../../links/Links.ts"
import { PageEdits } from "../../store/page/PageEdits.ts"
import { Pages } from "../../store/page/Pages.ts"
import { VerifiedDomains } from "../../store/page/VerifiedDomains.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { requirePage } from "../NoSuch.ts"

const noDomain = validationFailure([{
  path: "customDomain",
  message: "The page has no custom domain",
  hint: "Set customDomain with PATCH /api/v1/pages/{pageId} first"
}])

/** Names of the operator, `name` or `*.name`, beside the service's host: pages get these and all below only by the TXT record. */
export class ReservedDomains extends Context.Reference<ReservedDomains>()("belltower/ReservedDomains", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

/** A verified domain that points to a name without an address cannot be visited. */
const warnOf = (target: string) =>
  Effect.logWarning(
    `Custom domains point to names in *.${target}, which have no address. Add that DNS record, or set BELLTOWER_DOMAIN_TARGET=${target}`
  )

export class VerifyDomain extends Effect.Service<VerifyDomain>()("belltower/VerifyDomain", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const pages = yield* Pages
    const edits = yield* PageEdits
    const domains = yield* VerifiedDomains
    const links = yield* Links
    const reserved = yield* ReservedDomains
    const target = targetHost(links.domainTarget)
    const isReserved = (domain: string): boolean => isReservedDomain(domain, links.host, [target, ...reserved])

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
      const standing = yield* domains.standing(workspaceId, id, customDomain, isReserved(customDomain))
      const question = { domain: customDomain, txtName: dns.txtName ?? customDomain, target: dns.value, host: target }
      const answers = yield* readDomain(question)
      if (answers.lacksTarget) yield* warnOf(target)
      const verdict = domainVerdict(customDomain, dns, answers, standing)
      const outcome = (verified: boolean, reason: string | null): DomainCheck => ({ id, customDomain, verified, reason, dns })
      if (verdict._tag === "Unknown") return outcome(domainVerifiedAt !== null, verdict.reason)
      if (verdict._tag === "Refused") {
        yield* edits.unverify(workspaceId, id, customDomain)
        yield* pages.changed(slug)
        return outcome(false, verdict.reason)
      }
      yield* settle(id, edits.verify(workspaceId, id, customDomain, verdict._tag === "Proved"), customDomain)
      yield* domains.schedule(customDomain, DateTime.addDuration(yield* DateTime.now, renewEvery), 0)
      yield* pages.changed(slug)
      return outcome(true, null)
    })

    return { verify }
  }),
  dependencies: [PageEdits.Default, VerifiedDomains.Default]
}) {}
