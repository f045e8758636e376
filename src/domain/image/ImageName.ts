/** The file name of an uploaded image. It has the size, so that a document keeps its place before it is loaded. */
import type { Image } from "../../../schema/image/Image.ts"

const extensions = { png: "png", jpeg: "jpg" } as const

export const imageName = (
  { height, id, type, width }: Pick<Image, "height" | "type" | "width"> & { readonly id: string }
): string => `${id}-${width}x${height}.${extensions[type]}`

const form = String.raw`(img_[0-9a-z]{26})-(\d{1,4})x(\d{1,4})\.(?:png|jpg)`
const named = new RegExp(`^${form}$`)
const namedFirst = new RegExp(`^${form}`)

/** The id and the size that a file name has; null for any other text. */
export const readImageName = (
  name: string
): { readonly id: string; readonly width: number; readonly height: number } | null => {
  const [, id, width, height] = named.exec(name) ?? []
  return id === undefined ? null : { id, width: Number(width), height: Number(height) }
}

/** Below the address of the service. Nothing else may be served there: pages may load whatever is. */
export const imagesPath = "/images/"

/** The id and the size in the URL of an image of the service; null for any other URL. */
export const readImageUrl = (url: string, service: string) =>
  url.startsWith(`${service}${imagesPath}`) ? readImageName(url.slice(service.length + imagesPath.length)) : null

/** A text without the URLs of images of the service, which name no host that a reader must not know. */
export const withoutImageUrls = (text: string, service: string): string => {
  const start = `${service}${imagesPath}`
  const [first = "", ...others] = text.split(start)
  return first + others.map((rest) => namedFirst.test(rest) ? rest.replace(namedFirst, "") : `${start}${rest}`).join("")
}
