/** A table: its columns are named once, and its rows give their cells. */
import type { ComponentChildren } from "preact"

/** A column's name, or with `end` one of figures, which stand at its end. */
type Column = string | { readonly name: string; readonly end: true }

const Name = ({ of }: { readonly of: Column }) =>
  typeof of === "string" ? <th scope="col">{of}</th> : <th scope="col" class="end">{of.name}</th>

/**
 * On a phone each row becomes a card whose cells are named by their `data-label`; another `class` than the usual one makes a table
 * that scrolls sideways instead. `actions` adds a column for buttons, `first` a cell before the names.
 */
export const Table = ({ actions = false, children, class: look = "table cards", columns, first = null }: {
  readonly columns: ReadonlyArray<Column>
  readonly actions?: boolean
  readonly first?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}) => (
  <table class={look}>
    <thead>
      <tr>
        {first}
        {columns.map((of) => <Name of={of} />)}
        {actions
          ? (
            <th scope="col">
              <span class="sr">Actions</span>
            </th>
          )
          : null}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)
