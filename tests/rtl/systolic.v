// systolic - an S x S weight-stationary systolic array with its FIFOs: int8 in, int32 out.
//
//     weights >--[ fifo ]--[ loader ]--+
//                                      v
//     rows    >--[ fifo ]--[ feeder ]-[ array ]--[ fifo ]--> results
//
// A tile is S weight rows, W of them a beat (BEATS = S/W rounded up), then one or more rows of
// which the last is marked; results come in the order of the rows.  Tiles follow each other as
// closely as the weight registers let them (loader), rows as closely as weights and room for their
// results let them (feeder).  Up to R rows enter a cycle, side by side through the same weights.
//
// With one weight register an element has its weight the cycle after it was set, so the first row
// of a tile can be taken in the cycle after the last beat, enters the array at once, and its result
// is at the result FIFO 2S - 1 cycles later.  With two registers the swap goes ahead of the rows:
// it enters the array in the cycle in which the first row is taken, and rows wait one cycle at the
// entrance; results are 2S cycles behind.
//
// `load`, `loaded`, `taken`, `left` and `left_last` tell the test bench what happens inside: a beat
// of weights taken, the last one of a tile; rows taken; results leaving the array, the last of a
// tile.  `overrun` is a result that found no place.
module systolic #(
    parameter S = 8,           // 4 or more
    parameter R = 1,
    parameter W = 1,           // up to S
    parameter MODE = 0,        // 0 serial, 1 exposed, 2 shadow, 3 wave
    parameter FEED_BITS = 6,   // places of the weight and row FIFOs
    parameter RESULT_BITS = 8
) (
    input  wire              clk,
    input  wire              rst,           // depths are to be steady from reset on
    input  wire [      15:0] weight_depth,  // beats
    input  wire [      15:0] row_depth,     // rows
    input  wire [      15:0] result_depth,  // rows
    input  wire              w_valid,
    output wire              w_ready,
    input  wire [ W*S*8-1:0] w_data,        // row l of the beat, column c: byte l*S + c
    input  wire [     R-1:0] a_valid,
    output wire [     R-1:0] a_ready,
    input  wire [     R-1:0] a_last,
    input  wire [ R*S*8-1:0] a_data,        // row of lane l, element k: byte l*S + k
    output wire [     R-1:0] c_valid,
    input  wire [     R-1:0] c_ready,
    output wire [     R-1:0] c_last,
    output wire [R*S*32-1:0] c_data,        // row of lane l, column c: word l*S + c
    output wire              load,
    output wire              loaded,
    output wire [     R-1:0] taken,
    output wire [     R-1:0] left,
    output wire [     R-1:0] left_last,
    output wire              overrun
);
    localparam SERIAL = 0;
    localparam BEATS = (S + W - 1) / W;
    localparam ROW = S * 8 + 1, RESULT = S * 32 + 1;

    wire beat_there, full, streaming, first_row, empty, swapping;
    wire [15:0] beat;
    wire [W*S*8-1:0] beat_data;
    wire [R-1:0] row_there, row_last, enter_valid, enter_last, result_ready;
    wire [R*S*8-1:0] row_data, enter_data;
    wire [R*S*32-1:0] left_data;
    wire [R*ROW-1:0] row_in, row_out;
    wire [R*RESULT-1:0] result_in, result_out;
    genvar l;

    generate
        for (l = 0; l < R; l = l + 1) begin : lane
            assign row_in[l*ROW+:ROW] = {a_last[l], a_data[l*S*8+:S*8]};
            assign {row_last[l], row_data[l*S*8+:S*8]} = row_out[l*ROW+:ROW];
            assign result_in[l*RESULT+:RESULT] = {left_last[l], left_data[l*S*32+:S*32]};
            assign {c_last[l], c_data[l*S*32+:S*32]} = result_out[l*RESULT+:RESULT];
        end
    endgenerate

    fifo #(.LANES(1), .WIDTH(W * S * 8), .BITS(FEED_BITS)) weights (
        .clk(clk), .rst(rst), .depth(weight_depth),
        .in_valid(w_valid), .in_ready(w_ready), .in_data(w_data),
        .out_valid(beat_there), .out_take(load), .out_data(beat_data)
    );
    fifo #(.LANES(R), .WIDTH(ROW), .BITS(FEED_BITS)) rows (
        .clk(clk), .rst(rst), .depth(row_depth),
        .in_valid(a_valid), .in_ready(a_ready), .in_data(row_in),
        .out_valid(row_there), .out_take(taken), .out_data(row_out)
    );
    loader #(.MODE(MODE), .BEATS(BEATS)) loader (
        .clk(clk), .rst(rst), .there(beat_there), .first_row(first_row), .streaming(streaming),
        .empty(empty), .swapping(swapping), .load(load), .beat(beat),
        .loaded(loaded), .full(full)
    );
    feeder #(.R(R)) feeder (
        .clk(clk), .rst(rst), .result_depth(result_depth), .full(full),
        .there(row_there), .last(row_last), .fetched(c_valid & c_ready),
        .take(taken), .first_row(first_row), .streaming(streaming)
    );
    delay #(.N(MODE == SERIAL ? 0 : 1), .WIDTH(R * (S * 8 + 2))) entrance (
        .clk(clk), .in({row_data, row_last, taken & {R{~rst}}}),
        .out({enter_data, enter_last, enter_valid})
    );
    array #(.S(S), .R(R), .W(W), .MODE(MODE), .BEATS(BEATS)) grid (
        .clk(clk), .rst(rst),
        .load(load), .load_beat(beat), .w_data(beat_data), .swap(first_row),
        .a_valid(enter_valid), .a_last(enter_last), .a_data(enter_data),
        .c_valid(left), .c_last(left_last), .c_data(left_data),
        .empty(empty), .swapping(swapping)
    );
    fifo #(.LANES(R), .WIDTH(RESULT), .BITS(RESULT_BITS)) results (
        .clk(clk), .rst(rst), .depth(result_depth),
        .in_valid(left), .in_ready(result_ready), .in_data(result_in),
        .out_valid(c_valid), .out_take(c_valid & c_ready), .out_data(result_out)
    );
    assign overrun = |(left & ~result_ready);
endmodule
