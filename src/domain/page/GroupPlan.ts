/** The groups and positions of the components of a page, after lists of some of them. */
import { Either } from "effect"
import type { ComponentId, GroupId } from "../../../schema/Ids.ts"
import type { ComponentGroup, GroupsInput } from "../../../schema/page/Page.ts"
import type { Refusal } from "../Refusal.ts"

const sameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

/** The groups after a list of all of them; `id` is null for a new one. A group without an id continues the one of the same name. */
export const planGroups = (existing: ReadonlyArray<ComponentGroup>, groups: GroupsInput["groups"]) => {
  const known = new Map<string, ComponentGroup>(existing.map((group) => [group.id, group]))
  const claimed = new Set<string>(groups.flatMap(({ id }) => id ?? []))
  const refusals = groups.flatMap((group, index): ReadonlyArray<Refusal> => {
    if (group.id !== undefined && !known.has(group.id)) {
      return [{ path: `groups.${index}.id`, message: "No such group on this page", hint: "Omit the id to create a group" }]
    }
    if (group.id !== undefined && groups.findIndex(({ id }) => id === group.id) < index) {
      return [{ path: `groups.${index}.id`, message: "The list names this group twice" }]
    }
    return groups.findIndex(({ name }) => sameName(name, group.name)) < index
      ? [{ path: `groups.${index}.name`, message: "Another group of the list has this name" }]
      : []
  })
  if (refusals.length > 0) return Either.left(refusals)
  return Either.right(groups.map((group) => {
    const before = group.id === undefined
      ? existing.find(({ id, name }) => !claimed.has(id) && sameName(name, group.name))
      : known.get(group.id)
    const description = group.description === undefined ? before?.description ?? null : group.description
    return {
      id: before?.id ?? null,
      name: group.name.trim(),
      description: description === "" ? null : description,
      collapsed: group.collapsed ?? before?.collapsed ?? false
    }
  }))
}

export interface ComponentPosition {
  readonly id: ComponentId
  readonly group: GroupId | null
  readonly position: number
}

/** The listed components exchange the positions that they hold; all others stay where they are. */
export const planPositions = (
  before: ReadonlyArray<Pick<ComponentPosition, "id" | "group">>,
  listed: NonNullable<GroupsInput["components"]>,
  groups: ReadonlyArray<ComponentGroup>
): Either.Either<ReadonlyArray<ComponentPosition>, ReadonlyArray<Refusal>> => {
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
  const moved = listed.map(({ group, id }) => ({
    id,
    group: group === undefined ? kept(id) : group === null ? null : groupOf(group)?.id ?? null
  }))
  const next = moved.values()
  return Either.right(before.map(({ id }, position) => {
    const one = firstAt.has(id) ? next.next().value : undefined
    return { ...one ?? { id, group: kept(id) }, position }
  }))
}
