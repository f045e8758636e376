/** Decides which groups of a page an ordered list keeps, creates and deletes. */
import { Either } from "effect"
import type { GroupId } from "../../../schema/Ids.ts"
import type { ComponentGroup, GroupsInput } from "../../../schema/page/Page.ts"
import type { Refusal } from "../Refusal.ts"

/** One group of the new list; `id` is null for a new one. */
export interface PlannedGroup extends Omit<ComponentGroup, "id"> {
  readonly id: GroupId | null
}

const sameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

/** A group without an id continues the one of the same name, so a caller that knows only names keeps the components in it. */
export const planGroups = (
  existing: ReadonlyArray<ComponentGroup>,
  groups: GroupsInput["groups"]
): Either.Either<ReadonlyArray<PlannedGroup>, ReadonlyArray<Refusal>> => {
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
