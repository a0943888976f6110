// loader - decides when the array takes a beat of weights.
//
// A tile is BEATS beats.  Its first beat waits for the registers it goes to; the others follow as
// they come, at most one a cycle.  The first beat may be taken
//   serial    when no tile waits or streams and no row is left in the array
//   exposed   when no tile waits or streams: weights and rows come through one port
//   shadow    when no tile waits, and the swaps for the last one are past all rows of the shift
//             chain, or reach its last row in this cycle
//   wave      when no tile waits, or the first row of the one that waits is taken in this cycle
module loader #(
    parameter MODE = 0,
    parameter BEATS = 8
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        there,      // a beat could be taken
    input  wire        first_row,  // of a tile is taken
    input  wire        streaming,  // rows of a tile are still to come
    input  wire        empty,      // see array
    input  wire        swapping,   // see array
    output wire        load,
    output reg  [15:0] beat,       // which one of its tile
    output wire        loaded,     // the last one of its tile is taken
    output reg         full        // a whole tile waits for its first row
);
    localparam SERIAL = 0, EXPOSED = 1, SHADOW = 2, WAVE = 3;
    localparam integer LAST = BEATS - 1;
    reg room;

    always @*
        case (MODE)
            SERIAL:  room = !full && !streaming && empty;
            EXPOSED: room = !full && !streaming;
            SHADOW:  room = !full && !swapping;
            WAVE:    room = !full || first_row;
            default: room = 0;
        endcase

    assign load = there && (beat != 0 || room);
    assign loaded = load && beat == LAST[15:0];

    always @(posedge clk)
        if (rst) begin
            beat <= 0;
            full <= 0;
        end else begin
            if (load) beat <= loaded ? 0 : beat + 1;
            if (loaded) full <= 1;
            else if (first_row) full <= 0;
        end
endmodule
