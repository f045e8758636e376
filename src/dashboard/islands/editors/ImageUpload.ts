/** Uploads pictures: draws a file again in the browser, which leaves out what is not seen, and makes it as small as the service takes. */

import { callApi } from "../Dom.ts"

/** Limits of the service. */
const mostBytes = 1_048_576
const mostPixels = 4_000_000

interface Uploaded {
  readonly url: string
}

/** A text says what went wrong. */
type Upload = Uploaded | string

/** The picture in a file, in pixels. A drawing (SVG) is as sharp at any other size. */
interface Picture {
  readonly source: CanvasImageSource
  readonly width: number
  readonly height: number
  readonly isDrawing: boolean
}

const scaleOf = ({ height, isDrawing, width }: Picture, longest: number): number => {
  const fitting = Math.min(longest / width, longest / height, Math.sqrt(mostPixels / (width * height)))
  return isDrawing ? fitting : Math.min(1, fitting)
}

const drawn = (picture: Picture, longest: number, ground: string | null): HTMLCanvasElement => {
  const scale = scaleOf(picture, longest)
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.floor(picture.width * scale))
  canvas.height = Math.max(1, Math.floor(picture.height * scale))
  const context = canvas.getContext("2d")
  if (context !== null && ground !== null) {
    context.fillStyle = ground
    context.fillRect(0, 0, canvas.width, canvas.height)
  }
  context?.drawImage(picture.source, 0, 0, canvas.width, canvas.height)
  return canvas
}

const blobOf = (canvas: HTMLCanvasElement, type: string, quality?: number) =>
  new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))

/** A PNG, or a JPEG if that is too large; null if neither is small enough. A JPEG has no transparency, so its ground is white. */
const encoded = async (picture: Picture, longest: number): Promise<Blob | null> => {
  const png = await blobOf(drawn(picture, longest, null), "image/png")
  if (png !== null && png.size <= mostBytes) return png
  for (const quality of [0.88, 0.7]) {
    const jpeg = await blobOf(drawn(picture, longest, "#fff"), "image/jpeg", quality)
    if (jpeg !== null && jpeg.size <= mostBytes) return jpeg
  }
  return null
}

/** The content as a `data:` URL. */
export const dataUrlOf = (blob: Blob) =>
  new Promise<string>((resolve) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(String(reader.result)))
    reader.readAsDataURL(blob)
  })

const base64Of = async (blob: Blob) => (await dataUrlOf(blob)).split(",")[1] ?? ""

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null

const messageOf = (answer: unknown): string => {
  const error = isRecord(answer) ? answer["error"] : null
  const message = isRecord(error) ? error["message"] : null
  return typeof message === "string" ? message : "The upload failed. Try again."
}

const sent = async (blob: Blob): Promise<Upload> => {
  const response = await callApi("/images", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ data: await base64Of(blob) })
  }).catch(() => null)
  if (response === null) return "The server could not be reached. Try again."
  const answer: unknown = await response.json().catch(() => null)
  const url = isRecord(answer) ? answer["url"] : null
  return response.ok && typeof url === "string" ? { url } : messageOf(answer)
}

/** A drawing in an image runs no script and loads nothing. */
const drawingOf = async (file: File): Promise<Picture | null> => {
  if (file.size > mostBytes) return null
  const source = new Image()
  source.src = await dataUrlOf(file)
  await source.decode()
  const { naturalHeight: height, naturalWidth: width } = source
  return width === 0 || height === 0 ? null : { source, width, height, isDrawing: true }
}

const photoOf = async (file: File): Promise<Picture> => {
  const source = await createImageBitmap(file)
  return { source, width: source.width, height: source.height, isDrawing: false }
}

const pictureOf = (file: File) => (file.type === "image/svg+xml" ? drawingOf(file) : photoOf(file)).catch(() => null)

/** `longest` is the side that a larger picture is made smaller to, in pixels, and that a drawing is made to fit. */
export const uploadImage = async (file: File, longest: number): Promise<Upload> => {
  const picture = await pictureOf(file)
  if (picture === null) return `${file.name} is not an image that this browser can read. Use an SVG, PNG, JPEG or WebP file.`
  const blob = await encoded(picture, longest)
  return blob === null ? `${file.name} is too large. Use a picture of at most 1 MiB.` : sent(blob)
}
