/** The egress guard: all outgoing connections on behalf of tenants go through it, and only to vetted addresses. */
import { Data, Effect } from "effect"
import { getServers, type LookupAddress } from "node:dns"
import { isIP } from "node:net"
import type { Cause } from "../../schema/check/Check.ts"
import { type AllowList, mayReach, privateHost } from "../domain/check/address/Egress.ts"
import { type AddressPermits, everyPermit } from "../domain/check/address/PermitsAt.ts"
import { makeDeadlines } from "./Deadlines.ts"
import { defaultHeaderLimit } from "./HeaderLimit.ts"
import { isOfProcess } from "./OwnFailures.ts"
import { makeSystemResolver, type Resolve, type ResolveFor } from "./Resolver.ts"
import { noPlace, type SystemLookup } from "./SystemLookups.ts"
import { makeTlsTrust } from "./TlsTrust.ts"

/**
 * The private addresses that a request may reach: those of its workspace and of all (`own`), those of all, or none, where strangers
 * choose the target.
 */
export type Reach = "own" | "all" | "none"

/** The end of the message about a private address. Users can ask the operator only of an installation that is not public. */
const remedy = (isPublicService: boolean, reach: Reach): string =>
  reach === "none"
    ? "visitors choose public addresses only, unless BELLTOWER_REGISTRATION is open"
    : isPublicService
    ? "this service checks public addresses only"
    : "to allow it, add it to BELLTOWER_ALLOW_TARGETS"

/** The host is, or resolves to, an address that is neither public nor allowed. Nothing was sent. */
export class BlockedTarget extends Data.TaggedError("BlockedTarget")<{
  readonly host: string
  readonly address: string
  readonly isPublicService: boolean
  /** By default `own`. */
  readonly reach?: Reach
  /** How the request came to this host, as part of the message. */
  readonly after?: string
}> {
  override get message(): string {
    const at = this.host === this.address ? this.host : `${this.host} (${this.address})`
    return `${at} is not a public address${this.after ?? ""}; ${remedy(this.isPublicService, this.reach ?? "own")}`
  }
}

/** A request without a complete response: `cause` for machines, `message` for people. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{ readonly cause: Cause; readonly message: string }> {}

export type EgressFailure = BlockedTarget | RequestFailed

export const causeOf = (failure: EgressFailure): Cause => failure._tag === "BlockedTarget" ? "blocked_target" : failure.cause

export interface EgressOptions {
  /** The private ranges that all may reach. */
  readonly allow: AllowList
  /** The private ranges that a workspace may reach beside those, by its id. */
  readonly allowFor?: ReadonlyMap<string, AllowList>
  /** Strangers use the service: refusals do not name the operator's setting. Default false. */
  readonly isPublicService?: boolean
  /** The resolver; by default the system's DNS, and the next for local names. */
  readonly resolve?: Resolve
  /** The system's resolver; by default getaddrinfo. */
  readonly systemLookup?: SystemLookup
  /** The DNS servers of this machine, as Node writes them. */
  readonly nameServers?: () => ReadonlyArray<string>
  /** Certificate authorities (PEM) trusted in addition to the public ones. */
  readonly authorities?: string
  /** Maximum size of response headers, bytes; default 256 KiB, as in browsers. */
  readonly headerLimit?: number
}

/** Receives the vetted addresses of a host, or the reason why it is blocked or cannot be resolved. */
type Vetted = (failure: EgressFailure | null, addresses: ReadonlyArray<LookupAddress>) => void

interface LookupClient {
  /** A workspace: what it may reach, and its share of the line for local names. */
  readonly owner: string
  /** Default `own`. */
  readonly reach?: Reach
  /** A lookup or a connection was not made, because this machine lacks what it needs: what follows says nothing about the host. */
  readonly onNoPlace?: (lacking: Lacking) => void
  /** The permits of the call at the addresses to which it connects. Default: any. */
  readonly permits?: AddressPermits
}

/** A place among the lookups, or a file descriptor. */
export type Lacking = "lookups" | "files"

const service: LookupClient = { owner: "" }

const maxVerdicts = 20_000

/** A stand-in for the resolver has no line, and nothing to cancel. */
const withoutLine = (resolve: Resolve): ResolveFor => (host, _, done) => {
  resolve(host, done)
  return () => false
}

const resolveFailure = (host: string, code: string): RequestFailed => {
  if (code === noPlace) {
    const message = `${host} was not looked up: too many lookups of local and unknown names wait. Use longer intervals.`
    return new RequestFailed({ cause: "internal_error", message })
  }
  if (isOfProcess({ code })) {
    return new RequestFailed({
      cause: "internal_error",
      message: `${host} was not looked up: too many files are open on our side`
    })
  }
  const isUnknown = code === "ENOTFOUND" || code === "ENODATA"
  const message = isUnknown ? `${host} has no address in DNS (${code})` : `The DNS lookup of ${host} failed (${code})`
  return new RequestFailed({ cause: "dns_error", message })
}

const blockedFor = (
  { reach = "own" }: LookupClient,
  target: Pick<BlockedTarget, "host" | "address" | "isPublicService">
): BlockedTarget => new BlockedTarget(reach === "own" ? target : { ...target, reach })

export class EgressGuard extends Effect.Service<EgressGuard>()("belltower/EgressGuard", {
  scoped: Effect.fn("EgressGuard.make")(function*(options: EgressOptions) {
    const deadlines = yield* makeDeadlines
    const { isPublicService = false } = options
    const resolve = options.resolve === undefined
      ? makeSystemResolver(deadlines, { lookup: options.systemLookup })
      : withoutLine(options.resolve)

    const verdicts = new Map<string, boolean>()

    /** Cached because the same few addresses recur; evaluating one costs a tenth of a check. */
    const isOpen = (address: string): boolean => {
      const known = verdicts.get(address)
      if (known !== undefined) return known
      if (verdicts.size >= maxVerdicts) verdicts.clear()
      const verdict = mayReach(options.allow, address)
      verdicts.set(address, verdict)
      return verdict
    }

    const allowFor = options.allowFor ?? new Map<string, AllowList>()

    /** The private ranges of a client. */
    const rangesOf = ({ owner, reach = "own" }: LookupClient): AllowList => {
      if (reach === "none") return []
      const own = reach === "all" ? undefined : allowFor.get(owner)
      return own === undefined ? options.allow : [...options.allow, ...own]
    }

    const isOpenTo = (client: LookupClient, address: string): boolean => {
      const ranges = rangesOf(client)
      return ranges === options.allow ? isOpen(address) : mayReach(ranges, address)
    }

    /** One blocked address blocks the host: a mix of blocked and allowed addresses is an attack or a mistake. */
    const vet = (host: string, addresses: ReadonlyArray<LookupAddress>, client: LookupClient, done: Vetted): void => {
      const blocked = addresses.find(({ address }) => !isOpenTo(client, address))
      if (blocked === undefined) done(null, addresses)
      else done(blockedFor(client, { host, address: blocked.address, isPublicService }), [])
    }

    /** Resolves and vets a host; an IP literal (IPv6 without brackets) is only vetted. Returns a function that cancels. */
    const addressesOf = (host: string, done: Vetted, client: LookupClient = service): () => void => {
      const family = isIP(host)
      if (family !== 0) {
        vet(host, [{ address: host, family }], client, done)
        return () => {}
      }
      const cancel = resolve(host, client.owner, (failure, addresses) => {
        if (addresses.length > 0) return vet(host, addresses, client, done)
        if (failure === noPlace) client.onNoPlace?.("lookups")
        else if (failure !== null && isOfProcess({ code: failure })) client.onNoPlace?.("files")
        done(resolveFailure(host, failure ?? "ENODATA"), [])
      })
      return () => cancel() ? client.onNoPlace?.("lookups") : undefined
    }

    /** The reason to refuse a host as it is written, before anything is resolved; null if there is none. */
    const refusalOf = (host: string, client: LookupClient = service): string | null => {
      const found = privateHost(rangesOf(client), host)
      return found === null ? null : `${found} is a private address; ${remedy(isPublicService, client.reach ?? "own")}`
    }

    return {
      addressesOf,
      refusalOf,
      resolve,
      nameServers: options.nameServers ?? getServers,
      deadlines,
      permits: everyPermit,
      lacksFiles: (): void => {},
      trustsFor: makeTlsTrust(options.authorities),
      headerLimit: options.headerLimit ?? defaultHeaderLimit
    }
  })
}) {}

/** The guard as a client uses it. Each check has one: the fields stand here, because a copy of an instance takes far longer. */
export const guardFor = (guard: EgressGuard, client: LookupClient): EgressGuard => ({
  _tag: guard._tag,
  addressesOf: (host, done) => guard.addressesOf(host, done, client),
  refusalOf: (host) => guard.refusalOf(host, client),
  resolve: guard.resolve,
  nameServers: guard.nameServers,
  deadlines: guard.deadlines,
  permits: client.permits ?? guard.permits,
  lacksFiles: () => client.onNoPlace?.("files"),
  trustsFor: guard.trustsFor,
  headerLimit: guard.headerLimit
})
