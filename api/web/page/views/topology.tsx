export function TopologyView() {
  return null;
}
