/** State of one node of a running csiflow at one moment: totals since its start, and current values. */
export interface NodeFigures {
  readonly topology: string;
  readonly node: string;
  readonly received: number;
  readonly sent: number;
  /** By reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Frames that, by the senders' numbering, were sent but not decoded. */
  readonly missing: number;
  readonly failed: number;
  readonly queueDepth: number;
  /** Records of a sink that wait in its outbox. */
  readonly undelivered: number;
  /** Seconds; null before the first watermark. */
  readonly watermarkLag: number | null;
  /** Seconds spent in the node, and seconds for which it blocked the pump. */
  readonly busy: number;
  readonly gateClosed: number;
  readonly isSource: boolean;
  /** Number in the order of the graph, from 0; null if the service does not tell it. */
  readonly order: number | null;
  /** Nodes that it reads. */
  readonly reads: readonly string[];
}

/** Activity of a node between two moments. */
export interface NodeRates {
  readonly topology: string;
  readonly node: string;
  readonly is_source: boolean;
  readonly received_per_s: number;
  readonly sent_per_s: number;
  readonly dropped_per_s: number;
  /** By reason. */
  readonly dropped_by: Readonly<Record<string, number>>;
  readonly failed_per_s: number;
  readonly queue_depth: number;
  /** Records of a sink that wait in its outbox. */
  readonly undelivered: number;
  readonly watermark_lag_s: number | null;
  /** By how much the lag has grown, seconds per second; null if it is not known. */
  readonly lag_growth: number | null;
  /** Shares of the time, 0 to 1. */
  readonly busy: number;
  readonly gate_closed: number;
  /** Since its start, by reason. */
  readonly dropped_total: Readonly<Record<string, number>>;
  /** By the senders' numbering; may be among the dropped ones. */
  readonly missing_total: number;
  readonly failed_total: number;
  /** Nodes that it reads. */
  readonly reads: readonly string[];
}
