/** Decides the group and the position of a page's components from a list that may name only some of them. */
import { Either } from "effect"
import type { ComponentId, GroupId } from "../../../schema/Ids.ts"
import type { ComponentGroup, GroupsInput } from "../../../schema/page/Page.ts"
import type { Refusal } from "../Refusal.ts"

export interface Place {
  readonly id: ComponentId
  readonly group: GroupId | null
  readonly position: number
}

/** The listed components exchange the places that they hold; all others stay where they are. */
export const planPlaces = (
  before: ReadonlyArray<Pick<Place, "id" | "group">>,
  listed: NonNullable<GroupsInput["components"]>,
  groups: ReadonlyArray<ComponentGroup>
): Either.Either<ReadonlyArray<Place>, ReadonlyArray<Refusal>> => {
  const known = new Map(before.map((component) => [component.id, component]))
  const groupOf = (wanted: string) =>
    groups.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.trim().toLowerCase())
  const firstAt = new Map<string, number>()
  const refusals = listed.flatMap(({ group, id }, index): ReadonlyArray<Refusal> => {
    const path = `components.${index}`
    const isTwice = firstAt.has(id)
    firstAt.set(id, index)
    if (!known.has(id)) return [{ path: `${path}.id`, message: "No such component on this page" }]
    if (isTwice) return [{ path: `${path}.id`, message: "The list names this component twice" }]
    return group === undefined || group === null || group === "" || groupOf(group) !== undefined
      ? []
      : [{ path: `${path}.group`, message: "No such group on this page", hint: "Add the group to groups" }]
  })
  if (refusals.length > 0) return Either.left(refusals)
  /** The group that a component keeps: none if the list of groups has dropped it. */
  const kept = (id: ComponentId): GroupId | null => groups.find((group) => group.id === known.get(id)?.group)?.id ?? null
  const placed = listed.map(({ group, id }) => ({
    id,
    group: group === undefined ? kept(id) : group === null ? null : groupOf(group)?.id ?? null
  }))
  const next = placed.values()
  return Either.right(before.map(({ id }, position) => {
    const one = firstAt.has(id) ? next.next().value : undefined
    return { ...one ?? { id, group: kept(id) }, position }
  }))
}
