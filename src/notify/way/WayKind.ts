/**
 * A kind of contact way: its definition, and the kind made from it. The schema decides which address is accepted and kept sealed; pages
 * go through the engine of deliveries, whose result is the receipt.
 */
import { type DateTime, Effect, Either, Schema, SchemaAST } from "effect"
import type { PagingId, WorkspaceId } from "../../../schema/Ids.ts"
import type { AddedWayKind, ContactWayInput, Urgency } from "../../../schema/oncall/Way.ts"
import { Answer } from "../../domain/alert/DeliveryVerdict.ts"
import { type ChannelServices, type Message, type Problem, problemsOf } from "../alert/ChannelKind.ts"

/** A message that a way carries. */
export type WayMessage =
  | {
    readonly _tag: "Page"
    readonly pagingId: PagingId
    readonly urgency: Urgency
    /** One line: what is wrong. */
    readonly title: string
    /** A sentence: how long nobody has acknowledged it. */
    readonly text: string
    /** Since when it is wrong. */
    readonly startedAt: DateTime.Utc
    readonly incidentLink: string
    /** The page with the button, `{base}/ack/{token}`; the token acknowledges in the name of the person. */
    readonly acknowledgeLink: string
    readonly acknowledgeToken: string
  }
  /** The owner of a new way enters the code. */
  | { readonly _tag: "Code"; readonly code: string }
  | { readonly _tag: "Test" }

/** The definition in a file of `ways/`. `Address` is plain JSON. */
export interface WayDefinition<Address extends object> {
  readonly kind: AddedWayKind
  /** The accepted address fields, built from `wayAddress`. They are kept sealed. */
  readonly address: Schema.Schema<Address>
  /** The part of it that lists show: nobody else can use it. */
  readonly shown: (address: Address) => string
  /** The name of a way whose owner gives none. */
  readonly label: string
  /** `code`: the owner enters a code that was sent there. `device`: a device that is signed in proves itself. */
  readonly proof: "code" | "device"
  /** Its buttons act in the name of the person, so that nobody else can prove it. */
  readonly isPersonal?: boolean
  /** Checks an address beyond its schema. */
  readonly problems: (address: Address) => Effect.Effect<ReadonlyArray<Problem>, never, ChannelServices>
  /** Why this server cannot use the kind, and which setting helps; null if it can. */
  readonly missing: Effect.Effect<string | null>
  /** The same for a workspace: what its settings lack. */
  readonly missingIn?: (workspaceId: WorkspaceId) => Effect.Effect<string | null>
  /** Fields of the address that the person's email address leads to, if the input lacks them. Fails with what is wrong. */
  readonly find?: (
    given: ContactWayInput,
    email: string,
    workspaceId: WorkspaceId
  ) => Effect.Effect<Partial<Address>, ReadonlyArray<Problem>, ChannelServices>
  /** The link by which a person proves an address that is empty yet; `payload` comes back. Fails with why there is none. */
  readonly startLink?: (workspaceId: WorkspaceId, payload: string) => Effect.Effect<string, string, ChannelServices>
  /** The body of a message, made once, so that retries carry the same bytes. Pure. */
  readonly compose: (message: WayMessage) => string
  /**
   * Hands the message over, in one attempt. `Answered` and `Accepted` may carry the service's `reference`, by which
   * `PagingReceipts.receive` notes what it says later. `Impossible` brings the next step forward; `isGone` also ends the way.
   */
  readonly send: (message: Message, address: Address) => Effect.Effect<Answer, never, ChannelServices>
}

/** Makes a way kind, whose address type is hidden, from its definition. */
export const makeWayKind = <Address extends object>(definition: WayDefinition<Address>) => {
  const { address, compose, find, isPersonal = false, kind, label, missing, missingIn, problems, proof, send, shown, startLink } =
    definition
  const decode = Schema.decodeUnknownEither(address, { errors: "all", onExcessProperty: "error" })
  const fields = new Map(SchemaAST.getPropertySignatures(address.ast).map(({ isOptional, name }) => [String(name), isOptional]))

  /** The address of an input with what lists show of it. Fails with all problems at the same time. */
  const settle = Effect.fn("WayKind.settle")(function*({ kind: _, label: __, ...given }: ContactWayInput) {
    const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    const misplaced = [
      ...[...fields].filter(([name, isOptional]) => !isOptional && values[name] === undefined)
        .map(([path]) => ({ path, message: `${path} is required for a way of kind ${kind}` })),
      ...Object.keys(values).filter((name) => !fields.has(name))
        .map((path) => ({ path, message: `${path} does not belong to a way of kind ${kind}` }))
    ]
    if (misplaced.length > 0) return yield* Effect.fail(misplaced)
    const found = yield* Either.mapLeft(decode(values), problemsOf)
    const own = yield* problems(found)
    if (own.length > 0) return yield* Effect.fail(own)
    return { address: values, shown: shown(found) }
  })

  return {
    kind,
    label,
    proof,
    isPersonal,
    missing,
    missingIn: missingIn ?? (() => Effect.succeed(null)),
    find: (given: ContactWayInput, email: string, workspaceId: WorkspaceId): Effect.Effect<
      ContactWayInput,
      ReadonlyArray<Problem>,
      ChannelServices
    > =>
      find === undefined
        ? Effect.succeed(given)
        : Effect.map(find(given, email, workspaceId), (found) => ({ ...given, ...found })),
    startLink: startLink ?? null,
    shownOf: (values: unknown): string => Either.match(decode(values), { onLeft: () => "", onRight: shown }),
    compose,
    settle,
    send: (message: Message, stored: unknown): Effect.Effect<Answer, never, ChannelServices> =>
      Either.match(decode(stored), {
        onLeft: () => Effect.succeed(Answer.Impossible({ reason: "The stored address is invalid; add the way again" })),
        onRight: (values) => send(message, values)
      })
  }
}
export type ContactWayKind = ReturnType<typeof makeWayKind>
