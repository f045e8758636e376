/** Records, lists and deletes deploy markers. */
import { DateTime, Effect, Option } from "effect"
import type { Deploy, DeployInput } from "../../../schema/deploy/Deploy.ts"
import { DeployId, type IncidentId, MonitorId, type PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import { withOnlyIds } from "../../domain/deploy/DeployScope.ts"
import { deployWindow } from "../../domain/deploy/DeployWindow.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { maskUrls } from "../../domain/secret/UrlSecrets.ts"
import { listPage } from "../../domain/tools/ListPage.ts"
import { nearest } from "../../domain/tools/text/Nearest.ts"
import { storable } from "../../domain/tools/text/Storable.ts"
import { earliest } from "../../domain/tools/time/Earliest.ts"
import { unknownMonitor, unknownPage } from "../../domain/UnknownReference.ts"
import { type DeployFilter, Deploys } from "../../store/deploy/Deploys.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { mint } from "../../store/Mint.ts"
import { Policies } from "../../store/oncall/Policies.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { orNoSuch, removed } from "../NoSuch.ts"

/** Services that are named where none is near. */
const mostNamed = 5

/** A page by id or slug; an incident limits the time. */
interface DeployQuery extends Omit<DeployFilter, "pageId" | "after"> {
  readonly page: string | null
  readonly incidentId: IncidentId | null
  /** The last deploy of the page before; null for the first page. */
  readonly before: DeployId | null
}

export class ManageDeploys extends Effect.Service<ManageDeploys>()("belltower/ManageDeploys", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const deploys = yield* Deploys
    const policies = yield* Policies
    const events = yield* EventLog
    const incidents = yield* Incidents

    /** The monitors and pages that narrow a deploy. Fails with `validation_failed` for one that does not exist. */
    const scopeOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, input: DeployInput) {
      const monitors = [
        ...(input.monitorIds ?? []).map((id, index) => ({ id, path: `monitorIds.${index}` })),
        ...(input.monitorId === undefined ? [] : [{ id: MonitorId.make(storable(input.monitorId)), path: "monitorId" }])
      ]
      const pages = [
        ...(input.pageIds ?? []).map((name, index) => ({ name: storable(name), path: `pageIds.${index}` })),
        ...(input.pageId === undefined ? [] : [{ name: storable(input.pageId), path: "pageId" }])
      ]
      const known = yield* policies.known(workspaceId, {
        targets: [],
        monitorIds: monitors.map(({ id }) => id),
        pages: pages.map(({ name }) => name)
      })
      const pageOf = (name: string): PageId | undefined => known.pages.find(({ id, slug }) => id === name || slug === name)?.id
      const refusals = [
        ...monitors.flatMap(({ id, path }) => known.found.includes(`monitor ${id}`) ? [] : [unknownMonitor(path, id)]),
        ...pages.flatMap(({ name, path }) => pageOf(name) === undefined ? [unknownPage(path, name)] : [])
      ]
      if (refusals.length > 0) return yield* validationFailure(refusals)
      return {
        monitorIds: [...new Set(monitors.map(({ id }) => id))],
        pageIds: [...new Set(pages.flatMap(({ name }) => pageOf(name) ?? []))]
      }
    })

    /** A mistyped service narrows a deploy to nothing. */
    const warningsOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, { service }: DeployInput) {
      if (service === undefined || (yield* deploys.isService(workspaceId, storable(service)))) return {}
      const known = (yield* deploys.services(workspaceId)).map(maskUrls)
      const meant = nearest(service, known)
      const advice = meant === null ? `Some are ${known.slice(0, mostNamed).join(", ")}.` : `Did you mean ${meant}?`
      return {
        warnings: [
          `No monitor has the tag or name ${service}, so the deploy concerns none. ${known.length === 0 ? "" : advice}`.trim()
        ]
      }
    })

    /** Records a deploy with its event. Fails with `validation_failed` for an unknown monitor or page. */
    const create = Effect.fn("ManageDeploys.create")(function*(workspaceId: WorkspaceId, input: DeployInput) {
      const scope = yield* scopeOf(workspaceId, input)
      const now = yield* DateTime.now
      const deploy: Deploy = {
        id: yield* mint("dep", DeployId),
        version: input.version ?? null,
        commit: input.commit ?? null,
        url: input.url ?? null,
        environment: input.environment ?? null,
        description: input.description ?? null,
        service: input.service ?? null,
        ...withOnlyIds(scope),
        at: input.at ?? now,
        createdAt: now
      }
      yield* transaction(Effect.zipRight(
        deploys.insert(workspaceId, deploy),
        events.append(workspaceId, [{ type: "deploy.created", data: { deploy } }])
      ))
      return { ...deploy, ...yield* warningsOf(workspaceId, input) }
    })

    const windowOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: IncidentId) {
      const { resolvedAt, startedAt } = yield* orNoSuch("incident", id, incidents.peek(workspaceId, id))
      return deployWindow(startedAt, resolvedAt)
    })

    const latest = (one: DateTime.Utc | null, other: DateTime.Utc | null) =>
      one === null ? other : other === null ? one : DateTime.max(one, other)

    /** A page after a deploy that is gone is the first one. */
    const cursorOf = (workspaceId: WorkspaceId, id: DeployId) =>
      Effect.map(deploys.timeOf(workspaceId, id), Option.match({ onNone: () => null, onSome: (at) => ({ id, at }) }))

    /** Newest first. Fails with `not_found` for an unknown incident; an unknown page or monitor matches nothing. */
    const list = Effect.fn("ManageDeploys.list")(
      function*(
        workspaceId: WorkspaceId,
        { before, incidentId, limit, page, since = null, until = null, ...filter }: DeployQuery
      ) {
        const window = incidentId === null ? null : yield* windowOf(workspaceId, incidentId)
        const { monitorId = null } = filter
        const known = yield* policies.known(workspaceId, {
          targets: [],
          monitorIds: monitorId === null ? [] : [monitorId],
          pages: page === null ? [] : [storable(page)]
        })
        const pageId = known.pages[0]?.id ?? null
        const isKnown = (page === null || pageId !== null) && (monitorId === null || known.found.includes(`monitor ${monitorId}`))
        if (!isKnown) return { data: [], next: null }
        const rows = yield* deploys.matching(workspaceId, {
          ...filter,
          pageId,
          since: latest(since, window?.since ?? null),
          until: earliest([until, window?.until ?? null]),
          after: before === null ? null : yield* cursorOf(workspaceId, before),
          limit: limit + 1
        })
        const { data, next } = listPage(rows, limit)
        return { data: data.map(withOnlyIds), next }
      }
    )

    const remove = Effect.fn("ManageDeploys.remove")((workspaceId: WorkspaceId, id: DeployId) =>
      removed("deploy", id, deploys.remove(workspaceId, id))
    )

    return { create, list, remove }
  })
}) {}
