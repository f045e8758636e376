/** Asks DNS about each verified domain every day, and takes back those that no longer lead to their page. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import { doubtPause, renewalOf, renewEvery } from "../../src/domain/page/DomainRenewal.ts"
import { type DomainAnswers, type DomainVerdict, domainVerdict, pageDns, targetHost } from "../../src/domain/page/PageDomain.ts"
import { readDomain } from "../../src/egress/DomainRecords.ts"
import { Links } from "../../src/links/Links.ts"
import { domainMail } from "../../src/notify/mail/DomainMail.ts"
import { Mails } from "../../src/store/mail/Mails.ts"
import { PageEdits } from "../../src/store/page/PageEdits.ts"
import { Pages } from "../../src/store/page/Pages.ts"
import { type HeldDomain, VerifiedDomains } from "../../src/store/page/VerifiedDomains.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { singletonEvery } from "../SingletonEvery.ts"

/** Domains of one run, and how many of them at a time. 10,000 domains are 7 a minute. */
const batch = 50
const atOnce = 10

/** Domains that are asked about when all of a run have failed. */
const mostOthers = 3

interface DomainCheck {
  readonly held: HeldDomain
  readonly answers: DomainAnswers
  readonly verdict: DomainVerdict
}

const isFound = ({ verdict }: DomainCheck): boolean => verdict._tag === "Proved" || verdict._tag === "Pointed"

type DueDomain = Effect.Effect.Success<ReturnType<VerifiedDomains["due"]>>[number]

const isHeld = (due: DueDomain): due is HeldDomain => due.pageId !== null

const makeNews = Effect.gen(function*() {
  const domains = yield* VerifiedDomains
  const mails = yield* Mails
  const links = yield* Links

  return Effect.fnUntraced(function*(held: HeldDomain, left: number | null, now: DateTime.Utc) {
    const { domain, name: pageName, pageId, workspaceId } = held
    const wanted = `${domain} CNAME ${pageDns(pageId, domain, links.domainTarget).value}`
    const mail = domainMail({ domain, pageName, wanted, left, link: links.app(`pages/${pageId}/domain`) })
    const expiresAt = DateTime.add(now, { days: 3 })
    const recipients = yield* domains.recipients(workspaceId)
    yield* Effect.forEach(
      recipients,
      ({ email }) => mails.send({ workspaceId, priority: "standard", to: email, ...mail, expiresAt }),
      { discard: true }
    )
  })
})

const makeSettle = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const domains = yield* VerifiedDomains
  const edits = yield* PageEdits
  const pages = yield* Pages
  const tell = yield* makeNews

  return Effect.fnUntraced(function*({ held, verdict }: DomainCheck, answersOthers: boolean, now: DateTime.Utc) {
    const { domain, failures, pageId, slug, workspaceId } = held
    const renewal = renewalOf(verdict, failures, answersOthers)
    const tomorrow = DateTime.addDuration(now, renewEvery)
    switch (renewal._tag) {
      case "Kept":
        return yield* domains.schedule(domain, tomorrow, 0)
      case "Doubted":
        return yield* domains.schedule(domain, DateTime.addDuration(now, doubtPause), failures)
      case "Failed":
        yield* domains.schedule(domain, tomorrow, renewal.failures)
        if (renewal.failures > 1) return
        return yield* tell(held, renewal.left, now)
      case "Lost":
        yield* edits.unverify(workspaceId, pageId, domain)
        yield* domains.schedule(domain, null, 0)
        yield* pages.changed(slug)
        return yield* tell(held, null, now)
    }
  }, sql.withTransaction)
})

export const makeRenewDomains = Effect.gen(function*() {
  const domains = yield* VerifiedDomains
  const links = yield* Links
  const clock = yield* DatabaseClock
  const settle = yield* makeSettle

  const look = Effect.fnUntraced(function*(held: HeldDomain) {
    const { domain, pageId } = held
    const dns = pageDns(pageId, domain, links.domainTarget)
    const host = targetHost(links.domainTarget)
    const answers = yield* readDomain({ domain, txtName: dns.txtName ?? domain, target: dns.value, host })
    return { held, answers, verdict: domainVerdict(domain, dns, answers, "held") } satisfies DomainCheck
  })
  const lookAt = (some: ReadonlyArray<HeldDomain>) => Effect.forEach(some, look, { concurrency: atOnce })

  /** Whether to believe the resolver about failed domains: it must find another domain, or this service where there is no other. */
  const answersOthers = Effect.fnUntraced(function*(checks: ReadonlyArray<DomainCheck>) {
    if (checks.some(isFound)) return true
    const others = yield* domains.others(checks.map(({ held }) => held.domain), mostOthers)
    return checks.length === 1 && others.length === 0
      ? checks.some(({ answers }) => answers.targetAddresses.length > 0)
      : (yield* lookAt(others)).some(isFound)
  })

  const some = Effect.gen(function*() {
    const now = yield* clock.now
    const due = yield* domains.due(now, batch)
    const held = due.filter(isHeld)
    yield* Effect.forEach(due.filter((one) => !isHeld(one)), ({ domain }) => domains.schedule(domain, null, 0), { discard: true })
    const checks = yield* lookAt(held)
    const isBelieved = checks.some(({ verdict }) => verdict._tag === "Refused") && (yield* answersOthers(checks))
    const doubted = DateTime.addDuration(now, doubtPause)
    yield* Effect.forEach(checks, (one) =>
      settle(one, isBelieved, now).pipe(
        Effect.catchAllCause((cause) =>
          Effect.logError(`The domain ${one.held.domain} was not renewed; trying again in an hour`, cause).pipe(
            Effect.zipRight(domains.schedule(one.held.domain, doubted, one.held.failures))
          )
        )
      ), { discard: true })
    return due.length === batch
  })

  /** Asks about every domain that is due. Each is due later afterwards, so this ends. */
  return Effect.repeat(some, { while: (more) => more }).pipe(Effect.asVoid, Effect.withSpan("RenewDomains"))
})

export const DomainUpkeep = singletonEvery("DomainUpkeep", "1 minute", makeRenewDomains)
