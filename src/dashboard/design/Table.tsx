/** A table: its columns are named once, and its rows give their cells. */
import type { ComponentChildren } from "preact"

/** A column's name; `end` aligns its figures to the end. */
type Column = string | { readonly name: string; readonly end: true }

const Name = ({ of }: { readonly of: Column }) =>
  typeof of === "string" ? <th scope="col">{of}</th> : <th scope="col" class="end">{of.name}</th>

interface TableProps {
  readonly columns: ReadonlyArray<Column>
  /** Adds a column for buttons. */
  readonly actions?: boolean
  /** A cell before the names. */
  readonly first?: ComponentChildren
  readonly class?: string
  /** How much room the columns need side by side; default by their number. */
  readonly room?: "few" | "some" | "many" | "most"
  readonly children: ComponentChildren
}

/** A table of figures, which scrolls sideways in its box. It has no controls. */
export const FigureTable = ({ actions = false, children, class: look = "table", columns, first = null }: TableProps) => (
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

/** Where its columns have no room side by side, each row becomes a block whose cells are named by their `data-label`. */
export const Table = (props: TableProps) => {
  const count = props.columns.length + (props.actions === true ? 1 : 0)
  const room = count <= 3 ? "few" : count <= 5 ? "some" : count <= 7 ? "many" : "most"
  return (
    <div class={`fit fit-${props.room ?? room}`}>
      <FigureTable {...props} />
    </div>
  )
}
