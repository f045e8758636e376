/** Writes, reads and publishes postmortems. */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, NotFound, Unavailable, ValidationFailed } from "../../../schema/Errors.ts"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Incident } from "../../../schema/incident/Incident.ts"
import type { GenerateInput, Postmortem, PostmortemInput, PublishInput } from "../../../schema/incident/Postmortem.ts"
import { withoutImageUrls } from "../../domain/image/ImageName.ts"
import { isOver } from "../../domain/incident/IncidentMachine.ts"
import { postmortemDraft, postmortemOf } from "../../domain/incident/PostmortemDraft.ts"
import { publicTextRefusals } from "../../domain/page/PublicTextGuard.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Links } from "../../links/Links.ts"
import { AiTexts } from "../../services/ai/AiTexts.ts"
import { makePublicRules } from "../../services/ai/PublicWriting.ts"
import { IncidentWriter } from "../../services/incident/IncidentWriter.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { IncidentComponents } from "../../store/incident/IncidentComponents.ts"
import { Postmortems, type VersionDraft } from "../../store/incident/Postmortems.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { foundOr, orNoSuch } from "../NoSuch.ts"
import { makeCallerName } from "./CallerName.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

const noPostmortem = (id: string) =>
  new NotFound({
    message: `Incident ${id} has no postmortem yet`,
    hint: "Create one with POST /api/v1/incidents/{id}/postmortem, or write it with PUT /api/v1/incidents/{id}/postmortem"
  })

const stale = (base: number, current: number | null) =>
  new Conflict({
    message: current === null
      ? `There is no version ${base}: the postmortem has not been saved yet`
      : `Version ${base} is not current; the current version is ${current}`,
    hint: current === null
      ? "Save the first version without baseVersion"
      : "Read the postmortem, merge your change into the current version, and send its version as baseVersion",
    details: { currentVersion: current }
  })

const noPage = "No status page shows this incident, because it names no page and no component. Only the team sees the update"

/** The caller's part of a postmortem's new version; the store adds its number and time. */
type Draft = Pick<VersionDraft, "markdown" | "ai"> & { readonly publicSummary: string | null | undefined }

const makeVersions = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const store = yield* Postmortems
  const writer = yield* IncidentWriter
  const nameOf = yield* makeCallerName
  const require = yield* makeRequireIncident

  const find = (workspaceId: WorkspaceId, id: IncidentId, history: boolean): Effect.Effect<Option.Option<Postmortem>> =>
    Effect.map(store.versions(workspaceId, id, history), (versions) => postmortemOf(id, versions, history))

  const read = Effect.fn("ManagePostmortems.read")(function*(workspaceId: WorkspaceId, id: IncidentId, history: boolean) {
    yield* require(workspaceId, id)
    return yield* foundOr(find(workspaceId, id, history), () => noPostmortem(id))
  })

  /** Saves a version unless `vet` refuses it, given the current one. The incident's lock makes versions strictly consecutive. */
  const append = Effect.fn("ManagePostmortems.append")(
    function*<E>(caller: Caller, id: IncidentId, draft: Draft, vet: (current: number | null) => Effect.Effect<void, E>) {
      const { workspaceId } = caller
      const by = yield* nameOf(caller)
      yield* orNoSuch("incident", id, writer.begin(workspaceId, id, null))
      const before = yield* find(workspaceId, id, false)
      const current = Option.match(before, { onNone: () => null, onSome: ({ version }) => version })
      yield* vet(current)
      yield* store.insert(workspaceId, id, {
        ...draft,
        publicSummary: draft.publicSummary === undefined
          ? Option.match(before, { onNone: () => null, onSome: ({ publicSummary }) => publicSummary })
          : draft.publicSummary,
        version: (current ?? 0) + 1,
        by,
        at: yield* DateTime.now
      })
    },
    transaction
  )

  return { find, read, append }
})

const makePublish = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const store = yield* Postmortems
  const writer = yield* IncidentWriter
  const events = yield* EventLog
  const { service } = yield* Links
  const require = yield* makeRequireIncident
  const policyOf = yield* makePublicRules
  const { read } = yield* makeVersions

  return Effect.fn("ManagePostmortems.publish")(function*(workspaceId: WorkspaceId, id: IncidentId, input: PublishInput) {
    const incident = yield* require(workspaceId, id)
    const policy = yield* policyOf(workspaceId, incident)
    yield* Effect.gen(function*() {
      const locked = yield* orNoSuch("incident", id, writer.begin(workspaceId, id, null))
      const { publicSummary, version } = yield* read(workspaceId, id, false)
      if (!isOver(locked.status)) {
        return yield* new Conflict({
          message: `The incident is still ${locked.status}`,
          hint: "Resolve it first with POST /api/v1/incidents/{id}/resolve"
        })
      }
      if (!locked.public && locked.pageIds.length > 0) {
        return yield* new Conflict({
          message: "The incident is internal",
          hint: "Its pages do not show it, so there is nowhere to publish"
        })
      }
      const body = input.body ?? publicSummary ?? ""
      if (body.trim() === "") {
        return yield* new ValidationFailed({
          message: "The postmortem has no public summary",
          hint: "Send body, or save a version with publicSummary"
        })
      }
      const refusals = publicTextRefusals("body", withoutImageUrls(body, service), policy)
      if (refusals.length > 0) return yield* validationFailure(refusals)
      const at = yield* DateTime.now
      const { drafts } = yield* writer.apply(workspaceId, locked, {
        status: locked.status,
        components: locked.components,
        body,
        at,
        public: true,
        ai: false,
        byPerson: true,
        manual: true,
        notify: input.notify ?? true
      })
      if (version !== null) yield* store.markPublished(workspaceId, id, version, at)
      yield* events.append(workspaceId, drafts)
    }).pipe(transaction)
    const postmortem = yield* read(workspaceId, id, false)
    return incident.pageIds.length > 0 ? postmortem : { ...postmortem, warnings: [noPage] }
  })
})

export class ManagePostmortems extends Effect.Service<ManagePostmortems>()("belltower/ManagePostmortems", {
  effect: Effect.gen(function*() {
    const components = yield* IncidentComponents
    const texts = yield* AiTexts
    const require = yield* makeRequireIncident
    const { append, find, read } = yield* makeVersions

    const draftOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, incident: Incident) {
      const affected = yield* components.affected(workspaceId, incident.id)
      return postmortemDraft(incident, affected, yield* DateTime.now)
    })

    const unsaved = (id: IncidentId, markdown: string, saved: Option.Option<Postmortem>): Postmortem => ({
      incidentId: id,
      version: null,
      markdown,
      publicSummary: null,
      ai: false,
      published: Option.match(saved, { onNone: () => null, onSome: ({ published }) => published }),
      versions: Option.match(saved, { onNone: () => [], onSome: ({ versions }) => versions })
    })

    /**
     * `template` gives a draft unsaved. Fails with `not_found`, `plan_limit`, and `unavailable`, whose `details.template` is the
     * draft.
     */
    const generate = Effect.fn("ManagePostmortems.generate")(function*(caller: Caller, id: IncidentId, input: GenerateInput) {
      const { workspaceId } = caller
      const incident = yield* require(workspaceId, id)
      const template = yield* draftOf(workspaceId, incident)
      if (input.mode === "template") return unsaved(id, template, yield* find(workspaceId, id, false))
      const withTemplate = (message: string) =>
        new Unavailable({
          message,
          hint: "Complete the draft in details.template and save it with PUT /api/v1/incidents/{id}/postmortem",
          details: { template }
        })
      const written = yield* Effect.catchTag(
        texts.postmortem(workspaceId, incident, template),
        "unavailable",
        ({ message }) => withTemplate(message)
      )
      yield* append(caller, id, { ...written, ai: true }, () => Effect.void)
      return yield* read(workspaceId, id, false)
    })

    /** Saves a version. Fails with `not_found`, and with `conflict` if `baseVersion` is not the current version. */
    const save = Effect.fn("ManagePostmortems.save")(function*(caller: Caller, id: IncidentId, input: PostmortemInput) {
      const { baseVersion, markdown, publicSummary } = input
      yield* append(
        caller,
        id,
        { markdown, publicSummary, ai: false },
        (current) => baseVersion === undefined || baseVersion === current ? Effect.void : stale(baseVersion, current)
      )
      return yield* read(caller.workspaceId, id, false)
    })

    return {
      generate,
      save,
      /** With `history`, with the text of each version. Fails with `not_found`. */
      read,
      /**
       * Warns if the incident has no page. Fails with `not_found`, `conflict` if it is open or kept off its pages, and
       * `validation_failed` for a text that is not for customers.
       */
      publish: yield* makePublish
    }
  }),
  dependencies: [IncidentWriter.Default, AiTexts.Default]
}) {}
